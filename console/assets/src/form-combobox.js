// Comboboxes of forms: the ARIA pattern of an editable combobox with a list. Options are those of the datalist, or
// names that the service finds. A chosen option is a change of the input, which form.js saves.
(() => {
  "use strict";

  const most = 50; // options shown at once
  // Texts are compared as the service does (package searchkey). Where nothing is found, accents of European scripts do not matter.
  const fold = (text) => text.toLowerCase().toUpperCase().normalize("NFC").replaceAll("\u0130", "I");
  const plain = (text) => fold(text).normalize("NFD").replace(/(?<=[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}])\p{Mn}+/gu, "");
  const boxOf = (event) => event.target.closest?.("form[data-form] [role=combobox]:not([readonly])");
  const listOf = (input) => document.getElementById(input.getAttribute("aria-controls"));
  const options = (list) => [...list.querySelectorAll("[role=option]:not([aria-disabled])")];
  const active = (list) => list.querySelector("[aria-selected=true]");
  const isOpen = (list) => list.matches(":popover-open");
  let searching;
  let composing = false;

  // The browser's own list is for pages without a script.
  document.addEventListener("focusin", (event) => boxOf(event)?.removeAttribute("list"));
  document.addEventListener("compositionstart", () => { composing = true; });
  document.addEventListener("compositionend", (event) => { composing = false; if (boxOf(event)) offer(boxOf(event)); });
  document.addEventListener("input", (event) => { if (boxOf(event) && !composing) offer(boxOf(event)); });
  document.addEventListener("click", (event) => {
    const input = boxOf(event);
    if (input && !isOpen(listOf(input)) && input.dataset.search === undefined) show(input, matches(input, ""));
  });

  document.addEventListener("keydown", (event) => {
    const input = boxOf(event);
    if (!input || event.isComposing) return;
    const list = listOf(input);
    switch (event.key) {
      case "ArrowDown": case "ArrowUp":
        event.preventDefault();
        if (!isOpen(list)) { if (input.dataset.search === undefined) show(input, matches(input, "")); else offer(input); }
        move(input, event.key === "ArrowDown" ? 1 : -1);
        break;
      case "Enter":
        if (event.ctrlKey || event.metaKey || !isOpen(list) || !active(list)) return;
        event.preventDefault();
        choose(input, active(list));
        break;
      case "Escape":
        if (isOpen(list)) { event.preventDefault(); event.stopPropagation(); close(input); }
    }
  }, true);

  // The only match, or the option with exactly the text, is taken on leaving.
  document.addEventListener("focusout", (event) => {
    const input = boxOf(event);
    if (!input || !isOpen(listOf(input))) return;
    const found = options(listOf(input));
    const exact = found.filter((option) => fold(option.textContent) === fold(input.value.trim()));
    const only = exact.length === 1 ? exact[0] : found.length === 1 && input.value.trim() !== "" ? found[0] : null;
    if (only) choose(input, only); else close(input);
  });

  document.addEventListener("mousedown", (event) => {
    const option = event.target.closest?.("form[data-form] [role=listbox] [role=option]:not([aria-disabled])");
    if (!event.target.closest?.("form[data-form] [role=listbox]")) return;
    event.preventDefault();
    if (option) choose(document.querySelector(`[aria-controls="${CSS.escape(option.parentElement.id)}"]`), option);
  });

  for (const name of ["scroll", "resize"]) {
    addEventListener(name, () => { const input = document.activeElement; if (input?.matches("[role=combobox]") && isOpen(listOf(input))) place(input); }, true);
  }

  // matches returns the options of the datalist that contain a text.
  function matches(input, text) {
    const known = [...document.getElementById(`${input.id}-list`).options].map((option) => ({ name: option.value }));
    const containing = (key) => known.filter(({ name }) => key(name).includes(key(text.trim())));
    const found = containing(fold);
    return found.length > 0 ? found : containing(plain);
  }

  function offer(input) {
    clearTimeout(searching);
    if (input.dataset.search === undefined) { show(input, matches(input, input.value)); return; }
    input.previousElementSibling.value = "";
    if (input.value.trim() === "") { close(input); return; }
    searching = setTimeout(async () => {
      const text = input.value;
      const query = new URLSearchParams([["at", input.dataset.search], ["q", text], ...formRows.picks(input.form)]);
      let found = null;
      try {
        const response = await fetch(`${input.form.action}/found?${query}`, { headers: { Accept: "application/json" } });
        if (response.ok) found = await response.json();
      } catch { /* said in the list */ }
      if (document.activeElement === input && input.value === text) show(input, found);
    }, 200);
  }

  // show opens the list with options, null for a search that failed.
  function show(input, found) {
    const list = listOf(input);
    list.replaceChildren(...(found ?? []).slice(0, most).map(({ name, reference }, i) => {
      const option = document.createElement("div");
      option.id = `${list.id}-${i}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.textContent = name;
      if (reference) option.dataset.reference = reference;
      return option;
    }));
    const note = !found ? list.dataset.failed : found.length === 0 ? list.dataset.none : found.length > most ? list.dataset.more : "";
    if (note) {
      const text = list.appendChild(document.createElement("div"));
      text.className = "form-options-note";
      text.setAttribute("role", "option");
      text.setAttribute("aria-disabled", "true");
      text.textContent = note;
    }
    input.setAttribute("aria-expanded", "true");
    input.removeAttribute("aria-activedescendant");
    if (!isOpen(list)) list.showPopover();
    place(input);
  }

  function place(input) {
    const [list, box] = [listOf(input), input.getBoundingClientRect()];
    const below = innerHeight - box.bottom;
    const above = below < 160 && box.top > below;
    Object.assign(list.style, {
      left: `${box.left}px`, width: `${Math.max(box.width, 160)}px`, maxHeight: `${Math.min(288, (above ? box.top : below) - 8)}px`,
      top: above ? "auto" : `${box.bottom + 2}px`, bottom: above ? `${innerHeight - box.top + 2}px` : "auto",
    });
  }

  function close(input) {
    clearTimeout(searching);
    const list = listOf(input);
    if (isOpen(list)) list.hidePopover();
    list.replaceChildren();
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function move(input, by) {
    const list = listOf(input);
    const all = options(list);
    if (all.length === 0) return;
    const now = all.indexOf(active(list));
    const next = all[now < 0 ? (by > 0 ? 0 : all.length - 1) : (now + by + all.length) % all.length];
    active(list)?.setAttribute("aria-selected", "false");
    next.setAttribute("aria-selected", "true");
    next.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", next.id);
  }

  function choose(input, option) {
    input.value = option.textContent;
    if (option.dataset.reference) input.previousElementSibling.value = option.dataset.reference;
    close(input);
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }
})();
