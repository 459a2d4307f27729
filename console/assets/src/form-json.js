// Values that are edited as JSON: the editor takes the place of the text area once it is loaded. Until
// then lines keep their indentation and brackets are closed.
(() => {
  "use strict";

  const closing = { "{": "}", "[": "]" };

  // insert types a text, so that the browser can undo it, and moves the caret back.
  function insert(area, text, back) {
    document.execCommand("insertText", false, text);
    area.selectionStart = area.selectionEnd = area.selectionEnd - back;
  }

  document.addEventListener("keydown", (event) => {
    const area = event.target;
    if (!area.matches("textarea[data-json]") || area.readOnly || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const [before, after] = [area.value.slice(0, area.selectionStart), area.value.slice(area.selectionEnd)];
    if (event.key === "Enter") {
      event.preventDefault();
      const indent = /(?:^|\n)([ \t]*)[^\n]*$/.exec(before)[1];
      const opened = /[[{]$/.test(before);
      const tail = opened && /^[\]}]/.test(after) ? `\n${indent}` : "";
      insert(area, `\n${indent}${opened ? "  " : ""}${tail}`, tail.length);
    } else if (closing[event.key] && before.length + after.length === area.value.length && /^(?:[\s\]},]|$)/.test(after)) {
      event.preventDefault();
      insert(area, event.key + closing[event.key], 1);
    }
  });

  // The script of the editor is loaded with the first value.
  const nonce = document.currentScript.nonce;
  const editors = new Map();
  let loading;
  const load = (url) => loading ??= new Promise((done) => {
    const script = Object.assign(document.createElement("script"), { src: url, nonce, onload: done });
    document.head.append(script);
  });
  const look = async () => {
    for (const area of editors.keys()) if (!area.isConnected) editors.delete(area);
    for (const area of document.querySelectorAll("[data-json-editor] > textarea[data-json]")) {
      if (editors.has(area)) { editors.get(area)?.refresh(); continue; }
      editors.set(area, null);
      await load(area.parentElement.dataset.jsonEditor);
      if (area.isConnected) editors.set(area, window.editJSON(area)); else editors.delete(area);
    }
  };
  look();
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  document.addEventListener("form:shown", look);
})();
