// The list of results while databases still answer. The server has made the page and makes every
// piece of HTML; this file puts the pieces where they belong. Without it the page works, too.
//
// One rule stands above the others: nothing that the reader sees moves unless the reader asks.
// Messages only change what is known (`State` and the maps of `List`); an animation frame draws a
// small part of the difference, and the next frame the rest, so that no frame is long.

const BATCH = 20; // cards that one frame reads or places at most
const BUDGET = 8; // milliseconds after which a frame leaves the rest to the next one
const MANY = 100; // cards from which on the browser skips those that are far from the window
const QUIET = 5000; // milliseconds between two texts that a screen reader speaks by itself
const PATIENCE = 4000; // milliseconds in which a broken connection may return unnoticed

const byId = (id) => document.getElementById(id);

/** Whether an element begins below what the window shows. */
const isBelow = (element) => element.getBoundingClientRect().top >= window.innerHeight;

function reads(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  // A button that needs a script is hidden in the HTML of the server.
  if (navigator.clipboard) {
    for (const button of template.content.querySelectorAll("[data-do=copy]")) button.hidden = false;
  }
  return template.content;
}

// ---------------------------------------------------------------- changing nodes, keeping them

/** Moves or inserts a node; where the browser can, frames, focus and animations survive it. */
function put(parent, node, before) {
  if (parent.moveBefore && node.isConnected) parent.moveBefore(node, before);
  else parent.insertBefore(node, before);
}

/** Makes `shown` equal to `fresh`. Nodes that both have are kept, because focus, ticks, selections
 * and open folds belong to nodes. What the reader changes (`open`, `checked`) is not touched. */
function morph(shown, fresh) {
  for (const { name, value } of fresh.attributes) {
    if (name !== "open" && shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  }
  for (const { name } of [...shown.attributes]) {
    if (name !== "open" && !fresh.hasAttribute(name)) shown.removeAttribute(name);
  }
  morphChildren(shown, fresh);
}

function morphChildren(shown, fresh) {
  const partners = pairs([...shown.childNodes], [...fresh.childNodes]);
  const kept = new Set(partners.values());
  for (const child of [...shown.childNodes]) if (!kept.has(child)) child.remove();
  let at = shown.firstChild;
  for (const child of [...fresh.childNodes]) {
    const partner = partners.get(child);
    if (partner && partner === at) at = at.nextSibling;
    else put(shown, partner ?? child, at);
    if (partner && !partner.isEqualNode(child)) {
      if (partner.nodeType === Node.ELEMENT_NODE) morph(partner, child);
      else partner.data = child.data;
    }
  }
}

/** Which of the old children is each of the new ones: an equal one, else one of the same class,
 * else one of the same name. A link with another address is another link as long as one is left. */
function pairs(old, children) {
  const partners = new Map();
  const alike = [
    (one, other) => one.nodeType === Node.ELEMENT_NODE && one.isEqualNode(other),
    (one, other) => one.nodeName === other.nodeName && one.className === other.className,
    (one, other) => one.nodeName === other.nodeName && one.nodeName !== "DETAILS",
  ];
  for (const fits of alike) {
    for (const child of children) {
      const index = partners.has(child) ? -1 : old.findIndex((one) => fits(one, child));
      if (index >= 0) partners.set(child, old.splice(index, 1)[0]);
    }
  }
  return partners;
}

/** The items of a longest run whose places rise: those that stay where they are while the others
 * move around them (patience sorting: the last place of the best run of each length). */
function risingRun(items, placeOf) {
  const ends = [];
  const before = new Map();
  for (const item of items) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (placeOf(ends[middle]) < placeOf(item)) low = middle + 1;
      else high = middle;
    }
    before.set(item, ends[low - 1]);
    ends[low] = item;
  }
  const run = [];
  for (let item = ends.at(-1); item; item = before.get(item)) run.push(item);
  return run.reverse();
}

/** Makes a change above the list and leaves the cards where they are on the screen: the window
 * scrolls as far as they moved. Browsers that hold the place by themselves (`overflow-anchor`) do
 * not at the top of the page, and find that nothing is left to do elsewhere. */
function keepPlace(list, change) {
  const seen = [...list.children].find((card) => card.getBoundingClientRect().bottom > 0);
  if (!seen || isBelow(seen)) return change();
  const top = seen.getBoundingClientRect().top;
  change();
  const moved = seen.getBoundingClientRect().top - top;
  if (moved) window.scrollBy({ top: moved, behavior: "instant" });
}

// ------------------------------------------------------------------------------------ the list

/** The cards: those on the page, those that wait, and the order that they are to have. */
class List {
  #list = byId("hits");
  #bar = byId("new-works");
  #button = this.#bar?.querySelector("button");
  #words = new Intl.NumberFormat(document.documentElement.lang);
  #shown = new Map([...this.#list.children].map((card) => [card.dataset.id, card]));
  #html = new Map(); // id -> HTML of its card, the newest that came
  #order = []; // ids of the page, in their present order
  #known = false; // whether an order has come
  #start = 0; // works before this page
  #changed = new Set(); // ids of shown cards whose newest HTML was not looked at
  #waiting = new Set(); // ids of shown cards of which a part must not change yet
  #asked = null; // the order that the reader asked for, until the page has it
  #fresh = []; // those of it that were not shown before
  #ticked = new Set(); // ids of works that were ticked and then left the page
  #finished = false;

  constructor(frames, status) {
    this.frames = frames;
    this.status = status;
    this.#button?.addEventListener("click", () => this.#show());
    // A work that left the page (for the next one) stays selected: the reader ticked it.
    byId("list")?.addEventListener("formdata", ({ formData }) => {
      for (const id of this.#ticked) formData.append("id", id);
    });
    const recheck = () => this.#waiting.size && frames.request();
    window.addEventListener("scroll", recheck, { passive: true });
    window.addEventListener("resize", recheck);
    document.addEventListener("selectionchange", () => {
      if (!this.#waiting.size || !document.getSelection().isCollapsed) return;
      this.#look(this.#waiting);
      frames.request();
    });
  }

  get element() {
    return this.#list;
  }

  get ids() {
    return [...this.#list.children].map((card) => card.dataset.id);
  }

  /** Takes cards as (id, HTML). */
  take(cards) {
    for (const [id, html] of cards) {
      if (this.#html.get(id) === html) continue;
      this.#html.set(id, html);
      if (this.#shown.has(id)) this.#changed.add(id);
    }
  }

  /** Takes the order of the page. */
  arrange(order, start, finished) {
    this.#order = order;
    this.#known = true;
    this.#start = start;
    this.#finished = finished;
    this.#findMerged();
  }

  /** Shows the cards that an earlier visit of this page showed, in their order; the others wait
   * behind the button. */
  restore(ids) {
    const now = this.ids;
    const places = new Map(now.map((id) => [id, id]));
    for (const card of this.#list.children) {
      for (const also of alsoOf(card.outerHTML)) places.set(also, card.dataset.id);
    }
    const wanted = [...new Set(ids.map((id) => places.get(id)).filter(Boolean))];
    if (!this.#button || !wanted.length || String(wanted) === String(now)) return;
    for (const id of now) this.#html.set(id, this.#shown.get(id).outerHTML);
    const start = placeOf(this.#list.firstElementChild) - 1;
    if (!this.#known) this.arrange(now, start, !byId("results").dataset.updates);
    this.#move(wanted, Infinity);
  }

  /** Draws a part of what changed; returns whether something is left. */
  draw(until) {
    if (this.#waiting.size) {
      this.#look([...this.#waiting].filter((id) => isBelow(this.#shown.get(id))));
    }
    this.#refresh(until);
    if (!this.#known) return false;
    const left = this.#changed.size > 0 || this.#settle(until);
    this.#label();
    return left;
  }

  /** Where a shown card has become a part of a work with another id, that work takes its place. */
  #findMerged() {
    for (const id of this.#order) {
      if (this.#shown.has(id) || !this.#html.has(id)) continue;
      const old = alsoOf(this.#html.get(id)).find((also) => this.#shown.has(also));
      if (!old) continue;
      const card = this.#shown.get(old);
      this.#shown.delete(old);
      this.#shown.set(id, card);
      card.dataset.id = id;
      card.id = `w-${id}`;
      // The tick is the reader's, and from now on it names the merged work.
      for (const box of card.querySelectorAll("input[name=id]")) box.value = id;
      this.#changed.delete(old);
      this.#waiting.delete(old);
      this.#changed.add(id);
      if (this.#asked) this.#asked = this.#asked.map((asked) => (asked === old ? id : asked));
    }
  }

  #look(ids) {
    for (const id of ids) {
      this.#waiting.delete(id);
      this.#changed.add(id);
    }
  }

  #card(id) {
    const card = reads(this.#html.get(id)).firstElementChild;
    const box = card.querySelector("input[name=id]");
    if (box && this.#ticked.delete(id)) box.checked = true;
    return card;
  }

  /** Whether the whole card may change: the reader asked, or cannot see or miss anything of it. */
  #isFree(card) {
    if (this.#asked) return true;
    return (
      isBelow(card) &&
      !card.contains(document.activeElement) &&
      !card.querySelector("details[open]")
    );
  }

  #refresh(until) {
    const batch = [...this.#changed].slice(0, BATCH).map((id) => [id, this.#shown.get(id)]);
    // All is measured before anything is changed, so that the browser lays the page out once.
    const selection = document.getSelection();
    const states = batch.map(([, card]) => ({
      free: this.#isFree(card),
      selected: !selection.isCollapsed && selection.containsNode(card, true),
    }));
    for (const [index, [id, card]] of batch.entries()) {
      const { free, selected } = states[index];
      this.#changed.delete(id);
      if (selected || !this.#update(card, id, free)) this.#waiting.add(id);
      else this.#waiting.delete(id);
      if (performance.now() > until) return;
    }
  }

  /** Brings a card up to date as far as allowed; returns whether it is. */
  #update(card, id, free) {
    const fresh = this.#card(id);
    setPlace(fresh, placeOf(card));
    if (card.isEqualNode(fresh)) return true;
    if (free) {
      morph(card, fresh);
      return true;
    }
    // The margin has a fixed height, and what is folded has none.
    this.#updatePart(card, fresh, ".found");
    for (const fold of [".why", ".cite"]) {
      if (card.querySelector(fold)?.open === false) this.#updatePart(card, fresh, fold);
    }
    return card.isEqualNode(fresh);
  }

  #updatePart(card, fresh, selector) {
    const old = card.querySelector(selector);
    const part = fresh.querySelector(selector)?.cloneNode(true);
    if (!old || !part) return;
    // The line that opens a fold is seen, so it stays.
    const summary = old.querySelector(":scope > summary");
    if (summary) part.querySelector(":scope > summary")?.replaceWith(summary.cloneNode(true));
    morph(old, part);
  }

  /** Moves the list towards its order as far as allowed; returns whether something is left. */
  #settle(until) {
    const known = (id) => this.#shown.has(id) || this.#html.has(id);
    if (this.#asked) {
      if (this.#move(this.#asked.filter(known), BATCH, until)) return true;
      this.#arrived();
      return false;
    }
    // To append moves nothing.
    const order = this.#order.filter(known);
    const appends = this.ids.every((id, index) => id === order[index]);
    return appends && order.length > this.#shown.size && this.#move(order, BATCH, until);
  }

  /** Gives the list an order by moving as few cards as possible, `room` at most; returns whether
   * something is left. */
  #move(order, room, until = Infinity) {
    const places = new Map(order.map((id, index) => [id, index]));
    for (const [id, card] of this.#shown) if (!places.has(id)) this.#drop(id, card);
    const stay = risingRun([...this.#list.children], (card) => places.get(card.dataset.id));
    // Of a very long list the browser lays out only what is near the window.
    this.#list.classList.toggle("many", order.length > MANY);
    let next = 0;
    for (const [index, id] of order.entries()) {
      let card = this.#shown.get(id);
      if (card && card === stay[next]) {
        next += 1;
      } else {
        if (room === 0 || performance.now() > until) return true;
        room -= 1;
        card ??= this.#card(id);
        this.#shown.set(id, card);
        put(this.#list, card, stay[next] ?? null);
      }
      setPlace(card, this.#start + index + 1);
    }
    return false;
  }

  #drop(id, card) {
    const box = card.querySelector("input[name=id]");
    if (box?.checked) {
      const heir = this.#order.find((other) => alsoOf(this.#html.get(other) ?? "").includes(id));
      const heirBox = this.#shown.get(heir)?.querySelector("input[name=id]");
      if (heirBox) heirBox.checked = true;
      else this.#ticked.add(heir ?? id);
    }
    for (const ids of [this.#shown, this.#changed, this.#waiting]) ids.delete(id);
    if (!this.#html.has(id)) this.#html.set(id, card.outerHTML);
    card.remove();
  }

  #show() {
    this.#asked = [...this.#order];
    this.#fresh = this.#asked.filter((id) => !this.#shown.has(id));
    this.#look(this.#waiting);
    this.frames.request();
  }

  /** The reader sees what was asked for: the first new work has the focus. */
  #arrived() {
    const first = this.#shown.get(this.#fresh[0]) ?? this.#list.firstElementChild;
    const count = this.#words.format(this.#fresh.length);
    const { shown, sorted } = this.#button.dataset;
    this.status.say(this.#fresh.length ? shown.replace("{n}", count) : sorted);
    this.#asked = null;
    this.#fresh = [];
    (first?.querySelector("h3 a, a") ?? this.#list).focus();
  }

  /** Says on the button what waits behind it. */
  #label() {
    if (!this.#button || (this.#asked && this.#bar.hidden)) return;
    const count = this.#order.filter((id) => !this.#shown.has(id) && this.#html.has(id)).length;
    const words = this.#button.dataset;
    let text = "";
    if (count) text = (count === 1 ? words.one : words.many).replace("{n}", this.#words.format(count));
    else if (this.#finished && String(this.ids) !== String(this.#order)) text = words.order;
    else if (this.#finished && this.#waiting.size) text = words.changed ?? "";
    if (this.#asked) text = "";
    if (text && this.#button.dataset.text !== text) {
      this.#button.dataset.text = text;
      this.#button.replaceChildren(reads(text));
    }
    if (this.#bar.hidden !== !text) this.#bar.hidden = !text;
  }
}

/** The ids that the work of a card had before; read from its first tag, without parsing the card. */
function alsoOf(html) {
  const tag = html.slice(0, html.indexOf(">"));
  return (/\sdata-also="([^"]*)"/.exec(tag)?.[1] ?? "").split(" ").filter(Boolean);
}

const placeOf = (card) => card.value;

/** Sets the place of a card in the list, for readers and for screen readers. */
function setPlace(card, place) {
  if (card.value === place) return;
  card.value = place;
  for (const number of card.querySelectorAll("[data-place]")) number.textContent = place;
}

// ------------------------------------------------------------------------- around the list

/** The one line that screen readers speak by themselves: calmly, and the end at once. */
class Status {
  #line = byId("status");
  #shown = byId("progress-text"); // the same for the eye, which nothing interrupts
  #since = -QUIET;
  #timer = 0;

  show(text, last) {
    if (this.#shown) this.#shown.textContent = text;
    clearTimeout(this.#timer);
    if (!this.#line || text === this.#line.firstChild?.data) return;
    const wait = last ? 0 : Math.max(0, this.#since + QUIET - performance.now());
    this.#timer = setTimeout(() => {
      this.#since = performance.now();
      this.#line.textContent = text;
    }, wait);
  }

  /** Adds a text for screen readers only, in answer to what the reader did. */
  say(text) {
    const spoken = document.createElement("span");
    spoken.className = "vh";
    spoken.textContent = ` ${text}`;
    this.#line?.querySelector(".vh")?.remove();
    this.#line?.append(spoken);
  }
}

/** The panel of filters: its numbers grow, and a tick is sent at once. */
class Filters {
  static #KEPT = "metasearch filters";
  #panel = byId("filters");
  #waiting = null;
  #finished = false;
  #left = false; // whether the form was sent

  constructor(frames) {
    if (!this.#panel) return;
    this.#panel.addEventListener("change", ({ target }) => {
      if (target.type === "checkbox") this.#send(target);
    });
    // Years apply when both are typed: as the reader leaves the two fields, or presses Enter.
    this.#panel.addEventListener("focusout", ({ target, relatedTarget }) => {
      const years = target.closest(".from-to");
      if (!years || years.contains(relatedTarget) || this.#left) return;
      const fields = [...years.querySelectorAll("input")];
      if (fields.some((field) => field.value !== field.defaultValue)) this.#send(target);
    });
    this.#panel.addEventListener("submit", () => (this.#left = true));
    for (const leaving of ["pointerleave", "focusout"]) {
      this.#panel.addEventListener(leaving, () => this.#waiting && frames.request());
    }
    this.#return();
  }

  take({ counts = {}, facets, done }) {
    if (!this.#panel) return;
    this.#waiting = facets ?? this.#waiting;
    this.#finished = done;
    for (const number of this.#panel.querySelectorAll("[data-count]")) {
      const text = counts[number.dataset.count];
      if (text !== undefined && number.textContent !== text) number.textContent = text;
    }
  }

  draw() {
    if (!this.#panel) return;
    if (this.#finished && this.#panel.ariaBusy === "true") this.#panel.ariaBusy = "false";
    if (this.#waiting === null || !this.#mayChange()) return;
    morphChildren(this.#panel, reads(this.#waiting));
    this.#waiting = null;
  }

  end() {
    if (this.#panel) this.#panel.ariaBusy = "false";
  }

  #mayChange() {
    if (!this.#panel.querySelector("details")) return true; // no work had come yet
    const used = this.#panel.matches(":hover, :focus-within");
    const boxes = [...this.#panel.querySelectorAll("input")];
    const unsent = boxes.some(
      (box) => box.checked !== box.defaultChecked || box.value !== box.defaultValue,
    );
    return this.#finished && !used && !unsent;
  }

  /** Sends the form; the next page returns to the same tick at the same height of the window. */
  #send(box) {
    const { name, value } = box;
    sessionStorage.setItem(Filters.#KEPT, JSON.stringify({ name, value, top: window.scrollY }));
    // The address of the form may lead to the list, for readers without a script.
    this.#panel.action = this.#panel.action.split("#")[0];
    this.#panel.requestSubmit();
  }

  #return() {
    const kept = JSON.parse(sessionStorage.getItem(Filters.#KEPT) ?? "null");
    sessionStorage.removeItem(Filters.#KEPT);
    if (!kept) return;
    const fields = [...this.#panel.querySelectorAll("input:not([type=hidden])")];
    const box = fields.find(({ name, value }) => name === kept.name && value === kept.value);
    const group = box?.closest("details");
    if (group) group.open = true;
    window.scrollTo({ top: kept.top, behavior: "instant" });
    box?.focus({ preventScroll: true });
  }
}

/** What one message says of the page around the cards. */
class Head {
  #parts = {};
  #numbers = null;

  constructor(list) {
    this.list = list;
  }

  take({ parts = {}, answered, asked, done }) {
    Object.assign(this.#parts, parts);
    this.#numbers = { answered, asked, done };
  }

  draw() {
    const changes = Object.entries(this.#parts).map(([id, html]) => [byId(id), html]);
    this.#parts = {};
    if (changes.length) {
      keepPlace(this.list, () => this.#replace(changes));
    }
    const bar = byId("progress");
    if (!this.#numbers || !bar) return;
    const { answered, asked, done } = this.#numbers;
    this.#numbers = null;
    if (bar.max !== asked) bar.max = asked;
    if (bar.value !== answered) bar.value = answered;
    bar.hidden = done;
  }

  #replace(changes) {
    const above = byId("heading")?.closest(".summary");
    const height = above?.offsetHeight ?? 0;
    for (const [part, html] of changes) if (part) morphChildren(part, reads(html));
    // What stands above the list may grow (the window follows), but not shrink: at the top of the
    // page nothing could follow.
    if (above && above.offsetHeight < height) above.style.minHeight = `${height}px`;
  }
}

/** The connection to the search that runs at the server. */
class Stream {
  #source = null;
  #timer = 0;
  #notice = byId("cut");

  constructor(address, { list, status, receive }) {
    this.address = address;
    this.list = list;
    this.status = status;
    this.receive = receive;
    this.#notice?.querySelector("[data-do=continue]")?.addEventListener("click", () => {
      this.open();
      // The button goes with its notice; the reader stays near.
      byId("results").focus({ preventScroll: true });
    });
    window.addEventListener("online", () => this.#notice?.hidden === false && this.open());
    window.addEventListener("offline", () => this.#source && this.#say(true));
    // A page that is left keeps no connection; one that the browser kept whole asks again.
    window.addEventListener("pagehide", () => this.#source?.close());
    window.addEventListener("pageshow", ({ persisted }) => {
      if (persisted && this.#source) this.open();
    });
    this.open();
  }

  open() {
    this.#source?.close();
    const source = new EventSource(this.address);
    this.#source = source;
    source.addEventListener("open", () => navigator.onLine && this.#say(false));
    source.addEventListener("error", () => {
      // The browser connects again by itself, unless the server refused.
      if (source.readyState === EventSource.CLOSED) this.#say(true);
      else this.#timer ||= setTimeout(() => this.#say(true), PATIENCE);
    });
    for (const kind of ["cards", "page", "failed"]) {
      source.addEventListener(kind, ({ data }) => this.receive[kind](JSON.parse(data)));
    }
  }

  /** Ends the connection for good. */
  close() {
    this.#source?.close();
    this.#source = null;
    this.#say(false);
  }

  #say(cut) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (!this.#notice || this.#notice.hidden === !cut) return;
    keepPlace(this.list.element, () => (this.#notice.hidden = !cut));
    if (cut) this.status.say(this.#notice.querySelector("p").textContent);
  }
}

/** Draws in animation frames, and only while there is something to draw. */
class Frames {
  #asked = false;
  draw = () => false;

  request() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      if (this.draw(performance.now() + BUDGET)) this.request();
    });
  }
}

/** What the reader did to the list, kept with the entry of the browser's history: Back and Reload
 * bring it again. */
class Memory {
  #timer = 0;

  constructor(list) {
    this.list = list;
    // The browser would give ticks back by their number in the form, that is to other works.
    const form = byId("list");
    if (form) form.autocomplete = "off";
    // A browser keeps the state of its entry also where the same address is visited again.
    const [visit] = performance.getEntriesByType("navigation");
    const kept = history.state?.results;
    if (kept && visit?.type !== "navigate") this.#restore(kept);
    for (const event of ["toggle", "change", "click"]) {
      document.addEventListener(event, () => this.#soon(), { capture: true });
    }
    window.addEventListener("pagehide", () => this.#keep());
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), 300);
  }

  #keep() {
    clearTimeout(this.#timer);
    const folds = folded().map(([name, fold]) => [name, fold.open]);
    const boxes = this.list.element.querySelectorAll("input[name=id]:checked");
    const ticks = [...boxes].map((box) => box.value);
    const results = { order: this.list.ids, folds, ticks };
    history.replaceState({ ...history.state, results }, "");
  }

  #restore({ order, folds, ticks }) {
    this.list.restore(order);
    const before = new Map(folds);
    for (const [name, fold] of folded()) fold.open = before.get(name) ?? fold.open;
    const ticked = new Set(ticks);
    for (const box of this.list.element.querySelectorAll("input[name=id]")) {
      box.checked = ticked.has(box.value);
    }
  }
}

/** All folds of the page, each with a name that it has after a reload, too. */
function folded() {
  const seen = new Map();
  return [...byId("main").querySelectorAll("details")].map((fold) => {
    const scope = fold.closest("[data-id]")?.dataset.id ?? fold.parentElement.closest("[id]").id;
    const name = `${scope} ${fold.dataset.facet || fold.id || fold.className}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return [`${name} ${seen.get(name)}`, fold];
  });
}

// ------------------------------------------------------------------------------ the whole page

/** Copies the citation beside the button that was pressed. */
async function copy(button, status) {
  let around = button.parentElement;
  while (around && !around.querySelector(".citation")) around = around.parentElement;
  if (!around || button.dataset.words) return;
  await navigator.clipboard.writeText(around.querySelector(".citation").textContent.trim());
  button.dataset.words = button.textContent;
  button.textContent = button.dataset.done;
  status.say(button.dataset.done);
  setTimeout(() => {
    button.textContent = button.dataset.words;
    delete button.dataset.words;
  }, 2000);
}

function listenToReader(status) {
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-do=copy]");
    if (button) copy(button, status).catch(() => {});
  });
  // Enter that chooses a word of an input method (Chinese, Japanese) sends no form.
  document.addEventListener("keydown", (event) => {
    const composing = event.isComposing || event.keyCode === 229;
    if (composing && event.key === "Enter") event.preventDefault();
  });
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("[data-do=copy]")) button.hidden = false;
}

function start(results) {
  const frames = new Frames();
  const status = new Status();
  listenToReader(status);
  if (!byId("hits")) return;
  const list = new List(frames, status);
  const head = new Head(list.element);
  const filters = new Filters(frames);
  frames.draw = (until) => {
    head.draw();
    filters.draw();
    return list.draw(until);
  };
  new Memory(list);
  frames.request();
  if (!results.dataset.updates || !window.EventSource) return;
  const cards = (message) => {
    list.take(message.cards ?? []);
    frames.request();
  };
  const page = (message) => {
    head.take(message);
    filters.take(message);
    status.show(message.status, message.done);
    list.take(message.cards ?? []);
    list.arrange(message.order, message.start, message.done);
    if (message.done) stream.close();
    frames.request();
  };
  const failed = ({ title, detail }) => {
    stream.close();
    filters.end();
    byId("progress").hidden = true;
    const notice = document.createElement("div");
    notice.className = "notice danger";
    for (const text of [title, detail]) {
      const line = document.createElement("p");
      line.textContent = text;
      notice.append(line);
    }
    keepPlace(list.element, () => byId("failures").replaceChildren(notice));
    status.show(title, true);
  };
  const stream = new Stream(results.dataset.updates, {
    list,
    status,
    receive: { cards, page, failed },
  });
}

const results = byId("results");
if (results) start(results);
else listenToReader(new Status()); // the page of one work
