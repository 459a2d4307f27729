// The rows of arrays in forms: they are added, removed and moved in the page, and get the
// keys that they have in the value once it is saved.
const formRows = (() => {
  "use strict";

  let count = 0; // of new rows

  // idPart writes a text as ids of elements do, idOf the name of a control.
  const idPart = (text) => [...new TextEncoder().encode(text)].map((c) => {
    const letter = String.fromCharCode(c);
    if (letter === "/") return "-";
    return /[0-9A-Za-z]/.test(letter) ? letter : `_${c.toString(16).padStart(2, "0")}`;
  }).join("");
  const idOf = (name) => "f" + idPart(name);

  // picks are the selected alternatives of a form, which every request about its controls needs.
  const picks = (form) => [...new FormData(form)].filter(([name]) => /^b(?=$|[/~])/.test(name));

  // act does what a button of an array or of one of its rows says.
  function act(rows, button) {
    const row = button.closest("[data-row]");
    switch (button.dataset.do) {
      case "add": add(rows); break;
      case "remove": {
        const next = row.nextElementSibling ?? row.previousElementSibling;
        row.remove();
        (next?.querySelector("button[data-do=remove]") ?? rows.querySelector(":scope > button[data-do=add]")).focus();
        break;
      }
      case "up": row.previousElementSibling?.before(row); button.focus(); break;
      case "down": row.nextElementSibling?.after(row); button.focus(); break;
    }
  }

  function add(rows) {
    const blank = rows.querySelector(":scope > template[data-blank]");
    const key = `n${Date.now().toString(36)}${count++}`;
    const copy = document.createElement("template");
    copy.innerHTML = blank.innerHTML.replaceAll(blank.dataset.blank, key).replaceAll(idPart(blank.dataset.blank), idPart(key));
    const row = copy.content.firstElementChild;
    rows.querySelector("[data-list]").append(row);
    row.querySelector("input:not([type=hidden]), select, textarea")?.focus();
  }

  // rename gives the rows of a form their keys, by the names of arrays and the keys that they have had, and returns the
  // names of changed inputs as they are then.
  function rename(form, arrays, changed) {
    const found = [];
    for (const [name, keys] of Object.entries(arrays)) {
      for (const rows of form.querySelectorAll("[data-rows]")) {
        if (rows.dataset.rows !== name) continue;
        for (const row of rows.querySelector("[data-list]").children) {
          const key = keys[row.dataset.row];
          if (key !== undefined && key !== row.dataset.row) found.push([row, name, row.dataset.row, key]);
        }
      }
    }
    // Rows within rows first: their names begin with those around them.
    found.sort((a, b) => b[1].length - a[1].length);
    for (const [row, name, key, now] of found) renameRow(row, name, key, now);
    return new Set([...changed].map((entry) => {
      for (const [, name, key, now] of found) {
        if (/^[/~]/.test(entry.slice(1 + `${name}/${key}`.length)) && entry.slice(1).startsWith(`${name}/${key}`)) return `${entry[0]}${name}/${now}${entry.slice(1 + name.length + 1 + key.length)}`;
      }
      return entry;
    }));
  }

  function renameRow(row, name, key, now) {
    row.dataset.row = now;
    const [text, id] = [`${name}/${key}`, idOf(`${name}/${key}`)].map((part) => new RegExp(`${RegExp.escape(part)}(?=$|[/. ~-])`, "g"));
    const change = (part, attribute, old, to) => {
      if (part.hasAttribute(attribute)) part.setAttribute(attribute, part.getAttribute(attribute).replace(old, () => to));
    };
    for (const part of row.querySelectorAll("*")) {
      if (part.type === "hidden" && part.name === "o" + name) part.value = now;
      for (const attribute of ["name", "data-rows", "data-files", "data-search", ...(part.tagName === "BUTTON" ? ["value"] : [])]) {
        change(part, attribute, text, `${name}/${now}`);
      }
      for (const attribute of ["id", "for", "list", "aria-describedby"]) change(part, attribute, id, idOf(`${name}/${now}`));
    }
  }

  return { act, rename, idOf, picks };
})();
