// Additions to the pages of a project, which work without them: the numbers of a run as they come,
// and how a query is read while it is typed. The server makes every piece of HTML.

const byId = (id) => document.getElementById(id);
const PATIENCE = 600; // milliseconds without a key after which a query is read
const QUIET = 5000; // milliseconds between two texts that a screen reader speaks by itself

// --------------------------------------------------------------------------- a run

/** Replaces the contents of an element, and leaves scroll positions and the focus where they are. */
function replace(element, html) {
  const scroll = element.querySelector(".scroll");
  const left = scroll ? scroll.scrollLeft : 0;
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const place = focused && focused.getAttribute("href");
  const wasScroll = focused && focused.classList.contains("scroll");
  element.innerHTML = html;
  const now = element.querySelector(".scroll");
  if (now) now.scrollLeft = left;
  if (wasScroll && now) now.focus({ preventScroll: true });
  else if (place) {
    const same = [...element.querySelectorAll("a")].find((link) => link.getAttribute("href") === place);
    if (same) same.focus({ preventScroll: true });
  }
}

function follow(run) {
  const status = byId("run-status");
  let spoken = 0;
  const stream = new EventSource(run.dataset.progress);
  stream.addEventListener("state", (event) => {
    const { state, steps } = JSON.parse(event.data);
    run.hidden = false;
    byId("run-state").innerHTML = state;
    replace(byId("steps"), steps);
    if (Date.now() - spoken > QUIET) {
      status.textContent = byId("run-state").querySelector("p")?.textContent ?? "";
      spoken = Date.now();
    }
  });
  stream.addEventListener("done", (event) => {
    stream.close();
    replace(byId("steps"), JSON.parse(event.data).steps);
    byId("run-state").innerHTML = "";
    run.hidden = true;
    status.textContent = status.dataset.done;
    document.body.dataset.run = "done";
  });
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) {
      status.classList.remove("vh");
      status.textContent = status.dataset.broken;
    }
  });
}

// --------------------------------------------------------------------------- a query

function check(form) {
  const text = byId("text");
  const target = byId("checked");
  let timer = 0;
  let asked = 0;
  async function read() {
    const number = ++asked;
    const address = new URL(form.dataset.check, location.href);
    address.searchParams.set("text", text.value);
    address.searchParams.set("syntax", byId("syntax").value);
    try {
      const answer = text.value.trim() ? await fetch(address) : null;
      const html = answer && answer.ok ? await answer.text() : "";
      if (number === asked) target.innerHTML = html;
    } catch {
      if (number === asked) target.innerHTML = ""; // the server reads it again when it is sent
    }
  }
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(read, PATIENCE);
  };
  text.addEventListener("input", (event) => event.isComposing || later());
  text.addEventListener("compositionend", later);
  byId("syntax").addEventListener("change", read);
}

// --------------------------------------------------------------------------- an address to copy

/** Shows the buttons that copy the field before them, where the browser lets a page copy. */
function copies(buttons) {
  for (const button of navigator.clipboard ? buttons : []) {
    const word = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(byId(button.dataset.copies).value);
      button.textContent = button.dataset.done;
      byId("copied").textContent = button.dataset.done;
      setTimeout(() => (button.textContent = word), 2000);
    });
  }
}

// --------------------------------------------------------------------------- keys of buttons

/** Lets single letters press buttons and links, until the reader switches them off. */
function presses(parts, toggle) {
  if (!toggle) return;
  const isOn = () => localStorage.getItem("metasearch-keys") !== "off";
  const show = () => toggle.setAttribute("aria-pressed", String(isOn()));
  toggle.hidden = false;
  show();
  toggle.addEventListener("click", () => {
    localStorage.setItem("metasearch-keys", isOn() ? "off" : "on");
    show();
  });
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !isOn()) return;
    if (target.closest("input, textarea, select")) return;
    const pressed = [...parts].find((part) => part.dataset.press === key.toLowerCase());
    if (!pressed) return;
    event.preventDefault();
    pressed.click();
  });
}

presses(document.querySelectorAll("[data-press]"), document.querySelector("[data-do=keys]"));
copies(document.querySelectorAll("[data-copies]"));
const run = byId("run");
if (run && !run.hidden) follow(run);
const add = byId("add");
if (add) check(add);
