// Additions to the pages of a project, which work without them: the numbers of a run as they come,
// how a query is read while it is typed, and single-letter keys for decisions. The server makes
// every piece of HTML.

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

// --------------------------------------------------------------------------- decisions

const VERDICTS = { i: "relevant", c: "close", n: "unavailable", e: "excluded", 0: "" };
const CURRENT = "metasearch-current-work";

function keys(fold) {
  const items = [...document.querySelectorAll("li[data-work]")];
  const toggle = fold.querySelector("[data-do=keys]");
  const press = (button) => button && button.click();
  let current = null;
  fold.hidden = false;

  function go(item) {
    if (!item) return;
    current?.classList.remove("is-current");
    current = item;
    item.classList.add("is-current");
    item.querySelector("article").focus({ preventScroll: true });
    const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
    item.scrollIntoView({ block: "nearest", behavior: reduced ? "instant" : "smooth" });
  }

  function mark(verdict) {
    if (!current) return;
    const next = items[items.indexOf(current) + 1] ?? current;
    sessionStorage.setItem(CURRENT, JSON.stringify([next.dataset.work, current.dataset.work]));
    const value = `${verdict}:${current.dataset.work}`;
    press([...current.querySelectorAll("button[name=mark]")].find((one) => one.value === value));
  }

  toggle.addEventListener("click", () => {
    const on = toggle.getAttribute("aria-pressed") !== "true";
    toggle.setAttribute("aria-pressed", String(on));
    localStorage.setItem("metasearch-keys", on ? "on" : "off");
  });
  if (localStorage.getItem("metasearch-keys") === "off") toggle.setAttribute("aria-pressed", "false");

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (target.closest("input:not([type=checkbox]), textarea, select")) return;
    if (toggle.getAttribute("aria-pressed") !== "true") return;
    const place = current ? items.indexOf(current) : -1;
    const name = key.toLowerCase();
    if (name === "j") go(items[place + 1] ?? current);
    else if (name === "k") go(items[Math.max(0, place - 1)]);
    else if (name === "u") press(document.querySelector("[data-key=u]"));
    else if (name === "x" && current) press(current.querySelector("input[type=checkbox]"));
    else if (name in VERDICTS) mark(VERDICTS[name]);
    else return;
    event.preventDefault();
  });

  // Where one work is shown after another, it is the one that keys are for.
  if (fold.dataset.keys === "one" && items[0]) {
    current = items[0];
    current.classList.add("is-current");
  }

  // After a decision the page is loaded again: on to the next work, unless it has left the list.
  const kept = JSON.parse(sessionStorage.getItem(CURRENT) ?? "null");
  sessionStorage.removeItem(CURRENT);
  if (!kept) return;
  const [next, last] = kept;
  const item = byId(`w-${next}`) ?? byId(`w-${last}`);
  if (!item) return;
  current = item; // a key that comes at once is for this one
  item.classList.add("is-current");
  const resume = () => setTimeout(() => current === item && go(item));
  // The place in the address takes the focus when the page has been loaded.
  if (document.readyState === "complete") resume();
  else addEventListener("load", resume);
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

copies(document.querySelectorAll("[data-copies]"));
const run = byId("run");
if (run && !run.hidden) follow(run);
const add = byId("add");
if (add) check(add);
const legend = document.querySelector("[data-keys]");
if (legend) keys(legend);
