// What forms do beyond an ordinary post: they save by themselves, keep what was typed
// while there is no connection, and add, remove and move rows. Without it every button
// works as well. The doc comment of package console/forms has the contract.
(() => {
  "use strict";

  const wait = 800; // milliseconds after the last change
  const leave = 20; // milliseconds after a control was left, in which others may complete its text
  const hold = 2000; // milliseconds that answers wait for the end of a click
  const retry = 5000; // milliseconds between attempts while there is no connection
  const signedOutStatus = 401;

  // What is kept in the browser belongs to the user of the page. It is removed when that user signs
  // out, or another user has signed in.
  const all = "procession-form ";
  const user = document.getElementById("page")?.dataset.user;
  const own = user ? `${all}${user} ` : all;
  let signedOut = false;
  const forgetOthers = (except) => {
    try {
      for (const key of Object.keys(sessionStorage)) if (key.startsWith(all) && !(except && key.startsWith(except))) sessionStorage.removeItem(key);
    } catch { /* not allowed */ }
  };
  if (user) forgetOthers(own);

  // Forms are morphed: controls that stay keep their focus, caret, undo history and composition.
  // The inputs in edited keep their text too.
  let morph;
  let edited = new Set();
  htmx.registerExtension("procession-forms", {
    init: (api) => { morph = api.morph; },
    htmx_before_morph_node: (node) => !node.matches("[role=listbox], [data-found]:not(:empty)") && !(edited.has(node) && node.matches("select, textarea, [data-list], [data-files]")),
    htmx_before_morph_attr: (node, { attrName }) => !(attrName === "value" && node === document.activeElement && node.matches("[data-typed]")) && !(edited.has(node) && ["value", "checked"].includes(attrName)) && !(["open", "aria-expanded", "aria-activedescendant"].includes(attrName) && node.closest("[data-form], #beside-part")),
  });

  class Form {
    constructor(element) {
      this.element = element;
      this.changed = new Set(); // names of inputs with values that were not sent
      this.unsaved = new Set(); // names of inputs with texts that the service could not save
      this.since = new Set(); // names of inputs changed since the last request
      this.attempts = []; // the last requests without an answer: they may have been saved
      this.composed = Promise.resolve(); // pending during the composition of an input method
      this.clickable = Promise.resolve(); // pending while the mouse or a finger is down
      this.stale = false; // the page lacks parts that the form has now
      this.draft = element.dataset.draft !== undefined; // it is kept here until it is sent
      this.key = `${own}${location.pathname}${this.draft ? location.search : ""}`;
      this.problems = JSON.parse(element.dataset.problems ?? "[]");
      this.touched = new Set(); // names of controls that were left empty or changed
      element.addEventListener("input", (event) => this.edited(event.target, wait));
      // A date changes with each digit.
      element.addEventListener("change", (event) => this.edited(event.target, /date|time/.test(event.target.type) ? wait : leave));
      element.addEventListener("focusout", (event) => this.left(event));
      element.addEventListener("submit", (event) => this.submitted(event));
      element.addEventListener("click", (event) => this.clicked(event));
      element.addEventListener("form:change", (event) => this.changeControl(event.target, event.detail.name));
      element.addEventListener("compositionstart", () => this.compose());
      element.addEventListener("pointerdown", () => this.press());
      element.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) {
          event.preventDefault();
          element.querySelector("[data-complete]")?.click();
        }
      });
      this.prepare();
      this.restore();
    }

    get base() { return this.element.elements.namedItem("base"); }
    get version() { return this.element.elements.namedItem("version"); }

    say(text, state = "", signedOut = false) {
      const status = this.element.querySelector("[data-status]");
      if (status) { status.textContent = text; status.dataset.state = state; }
      const link = this.element.querySelector("[data-sign-in]");
      if (link) link.hidden = !signedOut;
    }

    // prepare is called for every new content of the form.
    prepare() {
      this.count();
      this.element.dispatchEvent(new CustomEvent("form:shown", { bubbles: true }));
      if (this.draft && this.began()) this.offerDiscard();
      for (const tabs of this.element.querySelectorAll("[data-tabs]")) {
        const part = [...tabs.querySelectorAll(":scope > [data-part]")].find((p) => p.id === this.part) ?? tabs.querySelector(":scope > [data-part]:not([hidden])");
        if (part) this.open(part);
      }
    }

    // open shows one page of tabs.
    open(part) {
      const tabs = part.closest("[data-tabs]");
      for (const link of tabs.querySelectorAll(":scope > nav [data-tab]")) {
        const own = tabs.querySelector(`#${CSS.escape(link.hash.slice(1))}`);
        const shown = own === part;
        own.classList.toggle("form-other-part", !shown);
        link.classList.toggle("active", shown);
        link.parentElement.classList.toggle("active", shown);
        if (shown) link.setAttribute("aria-current", "step"); else link.removeAttribute("aria-current");
      }
      this.part = part.id;
    }

    // show goes to an element, in whatever part of the form it is.
    show(element) {
      for (let part = element.closest("[data-part]"); part; part = part.parentElement.closest("[data-part]")) this.open(part);
      element.focus();
      element.scrollIntoView({ block: element.matches("[data-summary]") ? "start" : "center" });
    }

    edited(input, pause) {
      if (!input.name || input.type === "file" || input.type === "hidden") return;
      // What is changed is no longer what it is marked as.
      document.getElementById(`${formRows.idOf(input.name.slice(1))}-mark`)?.remove();
      this.changeControl(input, input.name, pause);
    }

    changeControl(control, name, pause) {
      this.change(name, pause);
      const row = control.closest("[data-row]");
      if (row) this.changeRows(row.closest("[data-rows]"));
    }

    // compose holds requests and answers back until the input method has committed its text.
    compose() {
      if (this.composing) return;
      this.composing = true;
      clearTimeout(this.timer);
      this.composed = new Promise((resolve) => {
        const end = (event) => {
          for (const name of ["compositionend", "focusout"]) this.element.removeEventListener(name, end, true);
          this.composing = false;
          if (this.changed.size > 0) this.change(event.target.name ?? [...this.changed].at(-1));
          resolve();
        };
        for (const name of ["compositionend", "focusout"]) this.element.addEventListener(name, end, true);
      });
    }

    // press holds answers back until the click has happened: elements that move or go would swallow it.
    press() {
      this.clickable = new Promise((resolve) => {
        for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(resolve), { once: true, capture: true });
        setTimeout(resolve, hold);
      });
    }

    // left marks a control that is left empty where something has to be.
    left(event) {
      const name = nameOf(event.target);
      if (!name || !event.relatedTarget || nameOf(event.relatedTarget) === name) return;
      if (this.touched.has(name) || !this.problems.some((p) => p.missing && p.name === name)) return;
      if (new FormData(this.element).getAll("v" + name).some((value) => value !== "")) return;
      this.touched.add(name);
      this.complain();
    }

    change(name, pause = wait) {
      this.changed.add(name);
      this.since.add(name);
      this.touched.add(name.slice(1));
      if (this.draft) this.offerDiscard();
      clearTimeout(this.timer);
      if (!this.composing) this.timer = setTimeout(() => this.save(), pause);
      this.count();
    }

    // count says how many of the required values are there.
    count() {
      const label = this.element.querySelector("[data-count]");
      if (!label) return;
      const names = new Set();
      for (const input of this.element.querySelectorAll("[aria-required=true], fieldset.form-field:has(> legend.required) [name^=v]")) {
        if (!input.closest("[hidden]")) names.add(input.name);
      }
      const there = new FormData(this.element);
      const given = [...names].filter((name) => there.getAll(name).some((value) => value !== ""));
      label.textContent = names.size > 0 ? label.dataset.count.replace("{n}", given.length).replace("{m}", names.size) : "";
    }

    // changeRows marks the orders of an array and of those around it: a row's inputs
    // mean nothing without them.
    changeRows(rows) {
      for (const name of ordersOf(rows)) { this.changed.add(name); this.since.add(name); }
    }

    // takeProblems takes the problems of an answer, and keeps the names of the inputs that are not saved.
    takeProblems(problems) {
      this.problems = problems;
      this.unsaved.clear();
      for (const { name } of problems.filter((p) => p.unsaved)) {
        for (const input of this.element.querySelectorAll(`[name="${CSS.escape("v" + name)}"], [name="${CSS.escape("k" + name)}"]`)) {
          for (const part of [input.name, ...ordersOf(input.closest("[data-rows]"))]) this.unsaved.add(part);
        }
      }
    }

    // unsent returns the names of all inputs with values that are not saved.
    unsent() { return new Set([...this.changed, ...this.unsaved]); }

    clicked(event) {
      const link = event.target.closest("a[href^='#']");
      if (link) {
        const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
        if (target && this.element.contains(target)) {
          event.preventDefault();
          if (link.dataset.tab !== undefined) this.open(target);
          this.show(target);
        }
      }
      if (event.target.closest("[data-discard]")) {
        this.changed.clear();
        this.draft = false;
        this.forget();
        location.reload();
        return;
      }
      const button = event.target.closest("button[data-do]");
      if (!button) return;
      event.preventDefault();
      const rows = button.closest("[data-rows]");
      formRows.act(rows, button);
      this.changeRows(rows);
      this.change("o" + rows.dataset.rows);
    }

    submitted(event) {
      const button = event.submitter;
      event.preventDefault();
      this.save(button?.value || "save");
    }

    // mean sends what toggles show that must have a value, untouched ones too.
    mean() {
      for (const toggle of this.element.querySelectorAll("input[type=checkbox][aria-required=true]")) {
        if (!toggle.closest("[hidden]")) this.changed.add(toggle.name);
      }
    }

    // entries are the inputs of some names, as a post has them.
    entries(names) {
      const all = new FormData(this.element);
      const some = new URLSearchParams();
      for (const name of ["version", "zone", "tried", ...(this.draft ? ["base", "origin", "once"] : [])]) {
        if (all.has(name)) some.set(name, all.get(name));
      }
      for (const [name, value] of formRows.picks(this.element)) some.append(name, value);
      for (const name of ["conflict", "theirs", "suggested"]) for (const value of all.getAll(name)) some.append(name, value);
      // All inputs of a new row are sent with it.
      for (const input of this.element.querySelectorAll("[data-row^=n] :is([name^=v], [name^=k])")) names.add(input.name);
      for (const name of names) {
        if (name[0] === "b" && !some.has("full")) some.set("full", "1");
        if (some.has(name)) continue;
        if (name.startsWith("z")) { names.add("v" + name.slice(1)); continue; }
        // A text that a person has entered is meant, also if the stored value is shown alike.
        if (this.changed.has(name) || this.unsaved.has(name)) some.append("confirmed", name);
        for (const value of all.getAll(name)) if (typeof value === "string") some.append(name, value);
        for (const also of name.startsWith("v") ? ["r", "z"] : []) for (const value of all.getAll(also + name.slice(1))) some.append(also + name.slice(1), value);
      }
      return some;
    }

    async save(button = "") {
      clearTimeout(this.timer);
      if (this.busy || this.composing) { this.next = button || this.next || "save"; return; }
      if (!button && this.changed.size === 0 && !this.stale) return;
      this.busy = true;
      if (/^(complete|anyway)/.test(button)) this.mean();
      const names = this.unsent();
      this.since = new Set();
      const read = /^read:(.*) /.exec(button);
      if (read) names.add("v" + read[1]);
      const deciding = /^(complete|anyway|mine|theirs)/.test(button);
      const body = this.entries(names);
      if (button) body.set("do", button);
      if (button === "undo" || button === "switch") body.set(button, this.element.elements.namedItem(button).value);
      if (this.stale || deciding || this.element.querySelector("[data-ambiguous]")) body.set("full", "1");
      if (body.has("conflict")) body.set("base", this.base.value);
      if (!this.draft || deciding) this.say(this.element.dataset.saving);
      if (deciding) this.element.inert = true;
      try {
        const answer = await this.attempt(body);
        this.failing = false;
        this.element.inert = false;
        await Promise.all([this.composed, this.clickable]);
        this.taken(answer, deciding);
      } catch (failure) {
        this.failed(failure);
      } finally {
        this.element.inert = false;
        this.busy = false;
        if (this.next) { const next = this.next; this.next = ""; this.save(next); }
      }
    }

    // attempt sends a body, with what it is based on if the service has another version. That version may be an earlier attempt.
    async attempt(body, options) {
      const earlier = this.remember(body);
      let answer = await this.send(body, options);
      if (answer.status === "base") {
        body.set("base", this.base.value);
        for (const text of earlier) body.append("attempt", text);
        answer = await this.send(body);
      }
      return answer;
    }

    // remember keeps a body until an answer comes, and returns the ones before it.
    remember(body) {
      const earlier = this.attempts;
      if (!this.draft) this.attempts = [...earlier, body.toString()].slice(-3);
      return earlier;
    }

    async send(body, options = {}) {
      const response = await fetch(this.element.action, { method: "POST", body, headers: { Accept: "application/json" }, redirect: "manual", ...options });
      if (!response.ok || !(response.headers.get("Content-Type") ?? "").startsWith("application/json")) throw response;
      return response.json();
    }

    failed(failure) {
      this.failing = true;
      this.keep();
      this.explain(failure);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.save(), retry);
    }

    // explain says why the input was not saved, and has the page look whether the task was changed by others.
    async explain(failure) {
      const known = failure instanceof Response;
      const out = known && (failure.status === signedOutStatus || failure.type === "opaqueredirect");
      const reason = known && !out ? await failure.json().then((answer) => answer.message, () => "") : "";
      const { signedOut, failed, offline } = this.element.dataset;
      this.say(out ? signedOut : known ? `${reason} ${failed}`.trim() : offline, "failed", out);
      if (known && !out) document.querySelector("[data-task-news]")?.dispatchEvent(new CustomEvent("procession:changed"));
    }

    // unsavedTexts are the labels and the texts of the inputs with values that are not saved.
    unsavedTexts() {
      const texts = [];
      const all = new FormData(this.element);
      for (const name of this.unsent()) {
        const input = this.element.querySelector(`[name="${CSS.escape(name)}"]`);
        const text = all.getAll(name).filter((value) => typeof value === "string" && value !== "").join(", ");
        if (!name.startsWith("v") || !input || !text) continue;
        const label = (input.type !== "radio" && input.labels?.[0]) || input.closest("fieldset")?.querySelector("legend");
        texts.push([label?.innerText ?? "", text]);
      }
      return texts;
    }

    // taken shows the answer to the last request.
    taken(answer, deciding) {
      if (answer.status === "done") {
        this.forget();
        this.changed.clear();
        document.dispatchEvent(new CustomEvent("procession:leaving"));
        location.assign(answer.to);
        return;
      }
      this.attempts = [];
      this.version.value = answer.version;
      this.base.value = answer.base;
      this.since = formRows.rename(this.element, answer.keys ?? {}, this.since);
      this.changed = new Set(this.since);
      if (answer.html) this.replace(answer.html);
      this.takeProblems(answer.problems);
      for (const [id, text] of Object.entries(answer.echoes ?? {})) document.getElementById(id)?.replaceChildren(text);
      this.complain();
      this.keep();
      this.say(answer.message, answer.status);
      if (answer.status === "incomplete" || (deciding && answer.problems.length > 0 && answer.status !== "saved")) {
        const summary = this.element.querySelector("[data-summary]");
        const only = answer.problems.length === 1 && !summary.querySelector("[data-anyway]") && summary.querySelector("a[href^='#']");
        const field = only && document.getElementById(only.hash.slice(1));
        this.show(field || summary);
      }
      if (this.changed.size > 0) { clearTimeout(this.timer); this.timer = setTimeout(() => this.save(), wait); }
    }

    // replace shows the form that the server has rendered. Inputs and rows that were changed since the
    // request keep their content.
    replace(html) {
      const made = new DOMParser().parseFromString(html, "text/html").querySelector("form");
      edited = new Set([...this.element.querySelectorAll("[name], [data-list], [data-files]")].filter((part) =>
        this.since.has(part.name?.replace(/^r/, "v") ?? (part.dataset.files === undefined ? "o" + part.closest("[data-rows]").dataset.rows : "v" + part.dataset.files))));
      const active = this.element.contains(document.activeElement) ? document.activeElement : null;
      const around = [];
      for (let part = active; part && part !== this.element; part = part.parentElement) if (part.id) around.push(part.id);
      const fragment = document.createDocumentFragment();
      fragment.append(...made.childNodes);
      morph(this.element, fragment, true);
      for (const input of this.element.elements) if (!edited.has(input)) this.reset(input);
      this.stale = [...edited].some((part) => part.dataset.list !== undefined);
      edited = new Set();
      this.prepare();
      if (active) this.refocus(active, around);
    }

    // refocus moves the focus to an element or, if it is gone or hidden, to the closest group that was around it.
    refocus(element, around) {
      if (element.isConnected && element.checkVisibility()) return element.focus({ preventScroll: true });
      const group = around.map((id) => document.getElementById(id)).find((part) => part?.checkVisibility()) ?? this.element;
      const target = group.querySelector(":scope > legend") ?? group;
      if (target.tabIndex < 0) target.tabIndex = -1;
      target.focus({ preventScroll: true });
    }

    // reset gives an input the value of its attributes. The caret stays.
    reset(input) {
      if (input.type === "checkbox" || input.type === "radio") input.checked = input.defaultChecked;
      else if (input.matches("select")) for (const option of input.options) option.selected = option.defaultSelected;
      else if (input.type !== "file" && input.matches("input, textarea") && input.value !== input.defaultValue) {
        const [start, end] = [input.selectionStart, input.selectionEnd];
        input.value = input.defaultValue;
        if (typeof start === "number" && input === document.activeElement) input.setSelectionRange(start, end);
      }
    }

    // complain shows what is wrong at the controls and, once completing was tried, in the summary. What is missing is not wrong before the person was there.
    complain() {
      const tried = Boolean(this.element.elements.namedItem("tried"));
      const problems = this.problems.filter((p) => !p.missing || tried || this.touched.has(p.name));
      for (const old of this.element.querySelectorAll(".invalid-feedback")) old.remove();
      for (const old of this.element.querySelectorAll(".is-invalid, [aria-invalid]")) { old.classList.remove("is-invalid"); old.removeAttribute("aria-invalid"); }
      const summary = this.element.querySelector("[data-summary]");
      const list = summary.querySelector("ul");
      list.replaceChildren();
      summary.hidden = problems.length === 0 || !tried;
      for (const { id, text, lang } of problems) {
        const entry = list.appendChild(document.createElement("li"));
        const control = id && document.getElementById(id);
        if (lang) entry.lang = lang;
        if (!control) { entry.textContent = text; continue; }
        const link = entry.appendChild(document.createElement("a"));
        link.className = "alert-link";
        link.href = `#${id}`;
        link.textContent = text;
        const beside = document.getElementById(`${id}-error`) ?? document.createElement("div");
        beside.id = `${id}-error`;
        beside.className = "invalid-feedback d-block";
        if (beside.hasChildNodes()) beside.append(" ");
        const sentence = beside.appendChild(document.createElement("span"));
        sentence.textContent = text;
        if (lang) sentence.lang = lang;
        const field = document.getElementById(`${id}-field`);
        if (field) field.append(beside); else if (control.matches("fieldset")) control.querySelector("legend").after(beside); else control.after(beside);
        const described = field?.matches("fieldset") ? field : control;
        if (control.matches("input, select, textarea")) {
          control.classList.add("is-invalid");
          control.setAttribute("aria-invalid", "true");
        }
        const ids = new Set((described.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean)).add(beside.id);
        described.setAttribute("aria-describedby", [...ids].join(" "));
      }
    }

    // keep holds what is not saved in the session of the browser.
    keep() {
      if (signedOut) return;
      try {
        const body = this.entries(this.unsent());
        body.set("base", this.base.value);
        body.set("full", "1");
        for (const text of this.attempts) body.append("attempt", text);
        body.delete("tried");
        if (this.unsent().size > 0 || this.began()) sessionStorage.setItem(this.key, body.toString()); else this.forget();
      } catch { /* it is full, or not allowed */ }
    }

    // began reports whether a draft has something that it did not begin with.
    began() { return this.draft && this.base.value !== this.element.elements.namedItem("initial").value; }

    offerDiscard() { this.element.querySelector("[data-discard]").hidden = false; }

    forget() { try { sessionStorage.removeItem(this.key); } catch { /* not allowed */ } }

    // restore saves what a page before this one could not.
    async restore() {
      let kept = null;
      try { kept = sessionStorage.getItem(this.key); } catch { /* not allowed */ }
      if (!kept || !this.base) return;
      this.busy = true;
      try {
        const body = new URLSearchParams(kept);
        this.remember(body);
        const answer = await this.send(body);
        await Promise.all([this.composed, this.clickable]);
        this.taken(answer, false);
      } catch (failure) {
        this.explain(failure);
        setTimeout(() => this.restore(), retry);
      } finally {
        this.busy = false;
      }
    }

    leave() {
      if (this.changed.size === 0) return;
      this.keep();
      if (this.draft) return;
      const body = this.entries(this.unsent());
      this.remember(body);
      this.send(body, { keepalive: true }).then((answer) => { if (answer.status === "saved") this.taken(answer, false); })
        .catch(() => { /* it is kept, and saved by the next page */ });
    }
  }

  // ordersOf are the names of the orders of an array and of those around it.
  function* ordersOf(rows) { for (; rows; rows = rows.parentElement.closest("[data-rows]")) yield "o" + rows.dataset.rows; }

  // nameOf is the name of the control that an input belongs to.
  const nameOf = (input) => /^[vu]\//.test(input.name ?? "") ? input.name.slice(1) : "";

  // Forms come and go with the parts of a page. One that goes saves what it has.
  const forms = new Map();
  const look = () => {
    for (const [element, form] of forms) if (!element.isConnected) { form.leave(); forms.delete(element); }
    for (const element of document.querySelectorAll("form[data-form]")) {
      if (!forms.has(element) && element.elements.namedItem("base")) forms.set(element, new Form(element));
    }
  };
  look();

  // A task that others have changed comes anew. Input that is not saved goes into its banner.
  let unsaved = [];
  document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
    if (!ctx.sourceElement?.matches("[data-task-news]") || !ctx.text) return;
    unsaved = [];
    for (const [element, form] of forms) {
      if (!ctx.sourceElement.contains(element)) continue;
      unsaved.push(...form.unsavedTexts());
      element.remove();
    }
  });
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (ctx.sourceElement?.matches("[data-task-news]") && document.activeElement === document.body) {
      ctx.sourceElement.querySelector("h1")?.focus({ preventScroll: true });
    }
    const shown = document.querySelector("[data-unsaved][hidden]");
    if (!shown || unsaved.length === 0) return;
    for (const [label, text] of unsaved) {
      const entry = document.createElement("div");
      const [name, value, copy] = ["dt", "dd", "button"].map((tag) => document.createElement(tag));
      name.textContent = label;
      value.textContent = text;
      copy.type = "button";
      copy.className = "btn btn-sm";
      copy.textContent = shown.dataset.copyText;
      Object.assign(copy.dataset, { copy: text, done: shown.dataset.done, failed: shown.dataset.failed });
      copy.setAttribute("aria-label", `${shown.dataset.copyText}: ${label}`);
      value.append(copy);
      entry.append(name, value);
      shown.querySelector("dl").append(entry);
    }
    shown.hidden = false;
    unsaved = [];
  });
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  document.addEventListener("procession:signed-out", () => {
    signedOut = true;
    for (const form of forms.values()) { clearTimeout(form.timer); form.changed.clear(); }
    forgetOthers();
  });
  // A person who comes back from another window may have signed in there.
  addEventListener("focus", () => { for (const form of forms.values()) if (form.failing) form.save(); });
  addEventListener("online", () => { for (const form of forms.values()) form.save(); });
  addEventListener("pagehide", () => { for (const form of forms.values()) form.leave(); });
  document.addEventListener("visibilitychange", () => { if (document.hidden) for (const form of forms.values()) form.leave(); });
  addEventListener("beforeunload", (event) => { if ([...forms.values()].some((form) => form.failing && form.changed.size > 0)) event.preventDefault(); });
})();
