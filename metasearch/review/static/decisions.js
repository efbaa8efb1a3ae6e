// Decisions on works by keys and buttons: on the list of works, and in screening, where one work
// follows another. The page moves on at once; what was decided waits in one queue, is sent in its
// order, and says on which work, and on which version of what stood there, it was made. Without
// this file the same buttons send forms. The server makes every piece of HTML.

const VERDICTS = { i: "relevant", m: "maybe", c: "close", n: "unavailable", e: "excluded", 0: "" };
const WITH_REASON = new Set(["excluded", "unavailable"]);
const MOST = 200; // decisions that wait at most
const BATCH = 20; // decisions that are sent together at most
const GAP = 1000; // milliseconds from one sending to the next, so that fast keys go together
const PATIENCE = 20_000; // milliseconds that an answer may take
const LONGEST_PAUSE = 30_000; // milliseconds before what was not taken is sent again
const CALM = 2000; // milliseconds without a key after which the numbers of the page are renewed
const ENOUGH = 60; // works that are fetched before they are needed
const NEAR = 8; // works before the end of the list at which further ones are put there
const MANY = 100; // works from which on the browser skips those that are far from the window

const byId = (id) => document.getElementById(id);
const wait = (time) => new Promise((done) => setTimeout(done, time));
/** The value that names what stands on a work: the page's forms send it, too. */
const versionOf = (item) => item.querySelector("input[name^=decided-]");

// --------------------------------------------------------------------------- the queue

/** What was decided and is not kept yet, in its order. It is in the session of this window, so that
 * a reload loses nothing, under the name of who decided: it is never sent for anybody else. */
class Queue {
  #entries = [];
  #sending = false;
  #single = false; // whether the next one goes alone, because the server could not read several
  #pause = 0;
  #last = -GAP;
  #wake = () => {};
  #waiting = []; // who waits for an empty queue

  /** @param heard What is done with each answer: `kept(entry)`, `unkept(entry, answer)`,
   * `changed()`. */
  constructor(token, { address, who, stage, votes }, heard) {
    this.address = address;
    this.form = { token, who, stage, do: "decide" };
    this.votes = Boolean(votes);
    this.heard = heard;
    this.state = ""; // "lost" without a connection, "refused" where a reader must do something
    const mine = `metasearch-decisions ${who} `;
    this.name = `${mine}${stage} ${address}`;
    try {
      const names = Object.keys(sessionStorage).filter((one) => one.startsWith("metasearch-dec"));
      for (const one of names) if (!one.startsWith(mine)) sessionStorage.removeItem(one);
    } catch {
      // No storage is allowed here: the queue is in memory alone.
    }
    this.load();
    addEventListener("online", () => this.#wake());
  }

  get size() {
    return this.#entries.length;
  }

  get works() {
    return new Map(this.#entries.map((entry) => [entry.work, entry]));
  }

  load() {
    try {
      this.#entries = JSON.parse(sessionStorage.getItem(this.name)) ?? [];
    } catch {
      this.#entries = [];
    }
    this.#send();
  }

  forget() {
    this.#entries = [];
    this.#keep();
  }

  /** Returns whether there was room. */
  add(entry) {
    if (this.size >= MOST) return false;
    this.#entries.push({ ...entry, vote: this.votes });
    this.#keep();
    this.#send();
    return true;
  }

  /** Sends what waits at once; resolves to whether all was answered. */
  drained() {
    if (!this.size) return Promise.resolve(true);
    if (this.state) return Promise.resolve(false);
    this.#last = -GAP;
    this.#wake();
    return new Promise((done) => this.#waiting.push(done));
  }

  #keep() {
    try {
      if (this.size) sessionStorage.setItem(this.name, JSON.stringify(this.#entries));
      else sessionStorage.removeItem(this.name);
    } catch {
      // Without room there it waits in memory alone; closing the page warns in any case.
    }
    this.heard.changed();
  }

  /** The first ones, each on another work: a second decision on one is made on what the first leads
   * to, and only the answer tells the version of that. */
  #batch() {
    const works = new Set();
    for (const { work } of this.#entries.slice(0, this.#single ? 1 : BATCH)) {
      if (works.has(work)) break;
      works.add(work);
    }
    return this.#entries.slice(0, works.size);
  }

  async #send() {
    if (this.#sending) return;
    this.#sending = true;
    while (this.size) {
      const pause = Math.max(this.#pause, this.#last + GAP - performance.now());
      if (pause > 0) await Promise.race([wait(pause), new Promise((done) => (this.#wake = done))]);
      this.#last = performance.now();
      const batch = this.#batch();
      if (batch.length) await this.#post(batch);
    }
    this.#sending = false;
    this.#told(true);
  }

  async #post(batch) {
    const body = new URLSearchParams(this.form);
    for (const { work, verdict, reason, version, vote } of batch) {
      body.append("decision", JSON.stringify({ work, verdict, reason, version, vote }));
    }
    const headers = { Accept: "application/json" };
    const signal = AbortSignal.timeout(PATIENCE);
    let response, answer;
    try {
      const how = { method: "POST", body, headers, redirect: "manual", signal };
      response = await fetch(this.address, how);
      answer = response.type === "opaqueredirect" ? {} : await response.json();
    } catch {
      return this.#later("lost"); // also where the answer broke off
    }
    const { status } = response;
    const after = Number(response.headers.get("Retry-After")) * 1000;
    if (response.ok) this.#settle(answer.decisions);
    else if (status === 429 || status >= 500) this.#later("lost", after);
    else if (status !== 400 && status !== 413) this.#later("refused");
    else if (batch.length > 1) this.#single = true; // one cannot be read: the others do not wait
    else this.#settle([{ work: batch[0].work, status, text: answer.detail ?? answer.title }]);
  }

  #settle(answers) {
    this.state = "";
    this.#pause = 0;
    for (const answer of answers) {
      const entry = this.#entries.shift();
      if (answer.status === 200) {
        for (const later of this.#entries) {
          if (later.work === entry.work) later.version = answer.version;
        }
        this.heard.kept(entry, answer);
      } else this.heard.unkept(entry, answer);
    }
    if (answers.length) this.#single = false;
    this.#keep();
  }

  #later(state, after = 0) {
    this.state = state;
    this.#pause = Math.min(Math.max(after, this.#pause * 2, GAP), LONGEST_PAUSE);
    this.#told(false);
    this.heard.changed();
  }

  #told(all) {
    for (const done of this.#waiting.splice(0)) done(all);
  }
}

// --------------------------------------------------------------------------- the works

/** The works of the page in their order, those that are not shown yet among them. */
class Works {
  #list = document.querySelector("ol.works");
  #one = this.#list?.classList.contains("one") ?? false;
  #following = this.#list?.dataset.following ?? "";
  #fetching = false;
  #known = new Set();
  #at = null; // the work where the reader is, or was last
  #over = true; // whether it is not there any more: none follows yet
  items = [];
  left = 0; // decisions that may have taken a work out of the list since it was fetched
  waiting = () => 0; // decisions that are being sent: the server may have some of them already

  constructor() {
    this.#take(document);
  }

  /** Whether one work follows another, as in screening. */
  get oneByOne() {
    return this.#one;
  }

  /** The work that keys are for. */
  get current() {
    return this.#over ? null : this.#at;
  }

  of(work) {
    return this.items.find((item) => item.dataset.work === work);
  }

  after(item) {
    return this.items[this.items.indexOf(item) + 1];
  }

  before(item) {
    return this.items[Math.max(0, this.items.indexOf(item) - 1)];
  }

  /** Makes a work the one that keys are for; in screening none, where there is none. */
  go(item, { focus = true } = {}) {
    if (!item && !this.#one) return;
    this.#over = !item;
    if (item) {
      this.#at?.classList.remove("is-current");
      this.#at = item;
      item.classList.add("is-current");
    }
    if (this.#one) this.#show(item);
    else this.#extend();
    if (item && focus) {
      item.querySelector("article").focus({ preventScroll: true });
      const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
      item.scrollIntoView({ block: "nearest", behavior: reduced ? "instant" : "smooth" });
    }
    this.fetch();
  }

  /** Begins a page of one work after another, behind those that are decided. */
  begin(decided) {
    const isLeft = (item) => !decided.has(item.dataset.work);
    const first = this.items.find(isLeft);
    this.#at = first ? null : (this.items.at(-1) ?? null);
    this.go(first, { focus: false });
  }

  /** Fetches works before they are needed. */
  async fetch() {
    const ahead = this.items.length - 1 - this.items.indexOf(this.#at);
    if (!this.#following || this.#fetching || ahead >= ENOUGH) return;
    this.#fetching = true;
    const address = new URL(this.#following, location);
    const { searchParams } = address;
    const { left } = this;
    if (searchParams.has("verdict")) {
      // Rather works that are here already than one that is passed over.
      const start = searchParams.get("start") - left - this.waiting();
      searchParams.set("start", Math.max(0, start));
    }
    this.left = 0;
    try {
      const page = await read(address);
      this.#following = page.querySelector("ol.works")?.dataset.following ?? "";
      this.#take(page);
    } catch {
      this.left += left;
      // The next key asks again, or the connection that returns; else it is tried once more.
      if (this.#over) setTimeout(() => this.fetch(), CALM);
      return;
    } finally {
      this.#fetching = false;
    }
    if (!this.#one) this.#extend();
    else if (this.#over) this.go(this.after(this.#at));
    this.fetch();
  }

  /** Takes the page as it is now: its numbers and, where one work follows another, those that wait;
   * others have voted meanwhile, too. */
  async renew(isCalm) {
    const page = await read(location.pathname + location.search).catch(() => null);
    if (!page || !isCalm()) return;
    for (const part of document.querySelectorAll("[data-fresh]")) {
      const now = page.querySelector(`[data-fresh=${part.dataset.fresh}]`);
      if (now && !part.contains(document.activeElement)) part.replaceChildren(...now.childNodes);
    }
    if (!this.#one) return;
    const fresh = itemsOf(page).map((item) => item.dataset.work);
    const here = this.items.indexOf(this.#at);
    const last = fresh.length ? this.items.indexOf(this.of(fresh.at(-1))) : Infinity;
    this.items = this.items.filter(
      (item, place) => place <= here || place > last || fresh.includes(item.dataset.work),
    );
    this.#take(page);
    if (this.#over) this.go(this.after(this.#at));
  }

  #take(page) {
    for (const item of itemsOf(page)) {
      if (this.#known.has(item.dataset.work)) continue;
      this.#known.add(item.dataset.work);
      this.items.push(item);
    }
  }

  /** Puts further works at the end of the list, when the reader is near it. */
  #extend() {
    const there = this.#list.children.length;
    if (this.items.indexOf(this.#at) + NEAR < there) return;
    this.#list.append(...this.items.slice(there, there + 2 * NEAR));
    this.#list.classList.toggle("many", this.#list.children.length > MANY);
  }

  #show(item) {
    byId("no-work").hidden = Boolean(item || this.#following);
    byId("fetching").hidden = Boolean(item || !this.#following);
    const reason = this.#list.querySelector("input[name=reason]")?.value;
    if (item && reason !== undefined) item.querySelector("input[name=reason]").value = reason;
    if (this.#list.firstElementChild !== item) this.#list.replaceChildren(...(item ? [item] : []));
  }
}

/** The works of a page, and those that it has ready. */
function itemsOf(page) {
  const ready = page.getElementById("ahead")?.content.children ?? [];
  return [...page.querySelectorAll("ol.works > li"), ...ready];
}

async function read(address) {
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(response.statusText);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/** Shows what is decided on a work. */
function shows(place, item, verdict, reason) {
  for (const button of item.querySelectorAll("button[name=mark]")) {
    const is = button.value === `${verdict}:${item.dataset.work}`;
    button.setAttribute("aria-pressed", String(is));
  }
  item.querySelector(".verdicts").dataset.reason = reason;
  const line = item.querySelector(".verdict-line");
  if (!line) return;
  line.querySelector("[data-stands]")?.remove();
  const made = place.querySelector(`[data-line="${verdict}"]`)?.content.cloneNode(true);
  if (made && reason) made.firstElementChild.append(place.dataset.comma + reason);
  if (made) line.prepend(made, " ");
}

// --------------------------------------------------------------------------- the page

function decides(place) {
  const works = new Works();
  const words = place.dataset;
  const strip = byId("unsent");
  const told = strip.querySelector("p");
  let done = []; // what was decided here and can be taken back, with what stood before
  let timer = 0;

  const say = (text) => (byId("mark-status").textContent = text);
  const verdictOf = (item) =>
    item.querySelector("button[name=mark][aria-pressed=true]")?.value.split(":")[0] ?? "";
  const wordsOf = (item, verdict) =>
    [...item.querySelectorAll("button[name=mark]")].find(
      (one) => one.value === `${verdict}:${item.dataset.work}`,
    )?.textContent;

  const queue = new Queue(place.querySelector("[name=token]").value, words, {
    kept({ work }, { version }) {
      const item = works.of(work);
      if (item) versionOf(item).value = version;
      works.left += 1;
    },
    unkept(entry, answer) {
      done = done.filter(({ item }) => item.dataset.work !== entry.work);
      const item = works.of(entry.work);
      const isClash = answer.status === 409;
      const undecided = answer.verdict === "undecided";
      const stands = isClash ? [undecided ? "" : answer.verdict, answer.reason] : entry.was;
      if (item && isClash) versionOf(item).value = answer.version;
      if (item && !queue.works.has(entry.work)) shows(place, item, ...stands);
      tell(entry, answer, item);
    },
    changed() {
      clearTimeout(timer);
      const late = queue.state !== "";
      const text = `${words.waiting.replace("{n}", queue.size)} ${words[queue.state] ?? ""}`.trim();
      if (late && told.hidden) say(text);
      if (!queue.size && !told.hidden) say(words.sent);
      told.hidden = !(queue.size && late);
      told.textContent = text;
      strip.hidden = told.hidden && !strip.querySelector("li");
      const isCalm = () => !queue.size;
      if (isCalm()) timer = setTimeout(() => works.renew(isCalm), CALM);
    },
  });
  works.waiting = () => queue.size;

  /** Says at a work, and where the reader is, what was not kept. */
  function tell(entry, answer, item) {
    const parts = [answer.text, words.yours.replace("{verdict}", entry.words)];
    if (answer.words) {
      const stands = [answer.words, answer.reason].filter(Boolean).join(words.comma);
      parts.push(words.stands.replace("{verdict}", stands));
    }
    const text = parts.join("\n");
    const line = byId("unkept").content.firstElementChild.cloneNode(true);
    const link = document.createElement("a");
    line.querySelector("span").append(`${text}\n`, link);
    link.textContent = entry.title;
    const again = new URLSearchParams({ stage: words.stage, work: entry.work });
    if (works.oneByOne) link.href = `?${again}`;
    else if (item) link.href = `#w-${entry.work}`;
    line.querySelector("button").addEventListener("click", () => {
      line.remove();
      strip.hidden = told.hidden && !strip.querySelector("li");
    });
    strip.querySelector("ul").append(line);
    strip.hidden = false;
    say(`${entry.title}: ${text}`);
    if (!item) return;
    const notice = document.createElement("p");
    notice.className = "notice caution small unkept";
    notice.textContent = text;
    item.querySelector(".unkept")?.remove();
    keepPlace(works.current, () => item.querySelector(".verdicts").before(notice));
  }

  /** Decides on a work as its page shows it. */
  function decide(item, verdict, reason = null) {
    const field = WITH_REASON.has(verdict) ? byId("reason") : null;
    const typed = reason ?? field?.value.trim() ?? "";
    const before = [verdictOf(item), item.querySelector(".verdicts").dataset.reason];
    const entry = {
      work: item.dataset.work,
      verdict,
      reason: typed,
      version: Number(versionOf(item).value),
    };
    const about = {
      was: before,
      words: wordsOf(item, verdict) ?? verdict,
      title: item.querySelector("h3").textContent.trim().slice(0, 200),
    };
    if (!queue.add({ ...entry, ...about })) {
      say(words.full);
      told.textContent = words.full;
      strip.hidden = told.hidden = false;
      return null;
    }
    item.querySelector(".unkept")?.remove();
    shows(place, item, verdict, typed);
    say(about.words);
    return before;
  }

  /** Excludes the work of the keys with a reason of the project's list. */
  function because(number) {
    const reason = document.querySelector(`[data-why="${number}"] > span`)?.textContent;
    if (reason) mark(works.current, "excluded", { reason });
  }

  /** Decides and moves on, to a work that is there already. `reason`: in place of the one typed. */
  function mark(item, verdict, { moves = true, reason = null } = {}) {
    if (!item || wordsOf(item, verdict) === undefined) return;
    const before = decide(item, verdict, reason);
    if (!before) return;
    done.push({ item, before });
    if (done.length > MOST) done.shift();
    const next = works.after(item);
    if (moves && (next || works.oneByOne)) works.go(next);
  }

  /** Takes the last decision back: that before it is decided again. */
  function undo() {
    const last = done.pop();
    if (!last) return false;
    if (decide(last.item, ...last.before)) works.go(last.item);
    return true;
  }

  /** Goes to another page when all is sent; where it cannot be, the browser warns. */
  function leave(event, go) {
    if (!queue.size || queue.state) return;
    event.preventDefault();
    queue.drained().then(go);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    const link = event.target.closest("a[href]");
    if (button?.name === "mark") {
      event.preventDefault();
      const item = button.closest("li[data-work]");
      mark(item, button.value.split(":")[0], { moves: works.oneByOne });
    } else if (button?.dataset.why) because(button.dataset.why);
    else if (button?.dataset.key === "u" && undo()) event.preventDefault();
    else if (link && !link.target && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      const isHere = link.getAttribute("href").startsWith("#");
      if (!isHere) leave(event, () => location.assign(link.href));
    }
  });
  document.addEventListener("submit", (event) => {
    const { target, submitter } = event;
    leave(event, () => target.requestSubmit(submitter));
    if (event.defaultPrevented || !queue.size) return;
    if (!target.getAttribute("action").endsWith("/logout")) return;
    if (confirm(words.forget)) queue.forget();
    else event.preventDefault();
  });
  // What is done with ticked works is at hand once one is ticked.
  document.addEventListener("change", ({ target }) => {
    const fold = byId("ticked");
    if (!fold || target.name !== "id" || !target.checked) return;
    keepPlace(target.closest("li[data-work]"), () => (fold.open = true));
  });
  // A form is about some works; the fields of the others, of which there may be many, stay here.
  byId("marks")?.addEventListener("formdata", ({ formData }) => {
    const about = new Set([...formData.getAll("id"), formData.get("save")]);
    for (const name of [...formData.keys()]) {
      const [, work] = /^(?:version|had|note|tags|decided)-(.+)$/.exec(name) ?? [];
      if (work && !about.has(work)) formData.delete(name);
    }
  });
  addEventListener("beforeunload", (event) => queue.size && event.preventDefault());
  addEventListener("pageshow", ({ persisted }) => persisted && queue.load());
  addEventListener("online", () => works.fetch());

  // What was decided before a reload is shown, and can be taken back.
  for (const [work, { verdict, reason, was }] of queue.works) {
    const item = works.of(work);
    if (!item) continue;
    shows(place, item, verdict, reason);
    done.push({ item, before: was });
  }
  if (works.oneByOne) works.begin(queue.works);
  return { works, stage: words.stage, mark, because, undo };
}

/** Makes a change elsewhere on the page and leaves a work where it is on the screen. */
function keepPlace(item, change) {
  const top = item?.getBoundingClientRect().top;
  change();
  const moved = item ? item.getBoundingClientRect().top - top : 0;
  if (moved) window.scrollBy({ top: moved, behavior: "instant" });
}

/** A button that switches something off and on again, and remembers it. */
function toggles(button, name, apply = () => {}) {
  const set = (on) => {
    button.setAttribute("aria-pressed", String(on));
    apply(on);
  };
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    set(on);
    localStorage.setItem(name, on ? "on" : "off");
  });
  if (localStorage.getItem(name) === "off") set(false);
}

function keys(fold, { works, stage, mark, because, undo }) {
  const toggle = fold.querySelector("[data-do=keys]");
  const press = (button) => button && button.click();
  for (const part of document.querySelectorAll("[data-script]")) part.hidden = false;
  toggles(toggle, "metasearch-keys");
  toggles(fold.querySelector("[data-do=marks]"), "metasearch-marks", (on) =>
    document.body.classList.toggle("no-marks", !on),
  );

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    // Enter in a field would press the first button of the form, which decides.
    const isField = target.matches("input") && target.form?.id === "marks";
    if (key === "Enter" && isField) return event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (target.closest("input:not([type=checkbox]), textarea, select")) return;
    if (toggle.getAttribute("aria-pressed") !== "true") return;
    const { current } = works;
    const name = key.toLowerCase();
    const moves = !works.oneByOne && ["j", "k"].includes(name);
    if (event.repeat && !moves) return; // a key that is held decides once
    if (moves && name === "j") works.go(current ? (works.after(current) ?? current) : works.items[0]);
    else if (moves) works.go(current ? works.before(current) : works.items[0]);
    else if (name === "u") undo() || press(document.querySelector("[data-key=u]"));
    else if (name === "x" && current) press(current.querySelector("input[type=checkbox]"));
    else if (/^[1-9]$/.test(name)) because(name);
    else if (name === "e" && stage === "title") mark(current, "excluded", { reason: "" });
    else if (name in VERDICTS) mark(current, VERDICTS[name]);
    else return;
    event.preventDefault();
  });
}

const place = byId("deciding");
if (place) {
  const page = decides(place);
  const legend = document.querySelector("[data-keys]");
  if (legend) keys(legend, page);
}
