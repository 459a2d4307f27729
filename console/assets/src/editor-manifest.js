// The editor of manifests takes the place of the text area, which stays the one that is
// sent. What is wrong with the text is what the service says beside it.
import {setDiagnostics} from "@codemirror/lint";
import {EditorView} from "@codemirror/view";
import {makeEditor} from "./editor-kit.js";

// The schemas that the service checks manifests with, by kind.
const schemas = new Map();
const schemaOf = (area, kind) => {
  if (!schemas.has(kind)) {
    schemas.set(kind, fetch(area.dataset.schemas + encodeURIComponent(kind)).then((answer) => (answer.ok ? answer.json() : {})));
  }
  return schemas.get(kind);
};

// shape is what the beginning of a line says: where its dash and its key are.
const shape = (text) => {
  const found = /^(\s*)((?:-\s+)*)(?:([\w$.-]+)\s*:)?/.exec(text);
  return {dash: found[2] ? found[1].length : -1, column: found[1].length + found[2].length, key: found[3]};
};

// place returns the keys around a line, and the kind of the manifest that it is in.
const place = (doc, line) => {
  const here = shape(line.text);
  const keys = [];
  let limit = here.dash >= 0 ? Math.min(here.column, here.dash + 1) : here.column;
  for (let number = line.number - 1; number > 0; number--) {
    const text = doc.line(number).text;
    if (text.startsWith("---")) break;
    if (/^\s*(#|$)/.test(text)) continue;
    const above = shape(text);
    if (above.key && above.column < limit) {
      keys.unshift(above.key);
      limit = above.column;
    }
    if (above.dash >= 0 && above.dash < limit) limit = above.dash + 1;
  }
  let first = line.number;
  while (first > 1 && !doc.line(first).text.startsWith("---")) first--;
  let kind;
  for (let number = first; number <= doc.lines && !kind; number++) {
    const text = doc.line(number).text;
    if (number > line.number && text.startsWith("---")) break;
    kind = /^kind:\s*(\w+)/.exec(text)?.[1];
  }
  return {keys, kind, here};
};

// below returns what a schema says of the values below some keys.
const below = (root, keys) => {
  const follow = (node) => {
    while (node?.$ref || node?.items) node = node.$ref ? root.$defs?.[node.$ref.replace("#/$defs/", "")] : node.items;
    return node;
  };
  let node = follow(root);
  for (const key of keys) node = follow(node?.properties?.[key]);
  return node;
};

const described = (root, property) => {
  const target = property.$ref ? {...root.$defs?.[property.$ref.replace("#/$defs/", "")], ...property} : property;
  return {detail: target.type, info: target.description};
};

const completeIn = (area) => async (context) => {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const {keys, kind, here} = place(context.state.doc, line);
  const root = await schemaOf(area, kind ?? "any");
  const value = /^\s*(?:-\s+)*([\w$.-]+):\s+(\S*)$/.exec(before);
  if (value) {
    const node = below(root, [...keys, value[1]]);
    const values = node?.enum ?? (node?.const ? [node.const] : node?.type === "boolean" ? [true, false] : []);
    return {from: context.pos - value[2].length, options: values.map((of) => ({label: String(of), type: "enum"})), validFor: /^\S*$/};
  }
  const word = /^\s*(?:-\s+)*([\w$.-]*)$/.exec(before);
  const node = below(root, keys);
  if (!word || !node?.properties || (!word[1] && !context.explicit && here.column === 0)) return null;
  return {
    from: context.pos - word[1].length,
    options: Object.entries(node.properties).map(([label, property]) => ({
      label, apply: label + ": ", type: "property", boost: node.required?.includes(label) ? 1 : 0, ...described(root, property),
    })),
    validFor: /^[\w$.-]*$/,
  };
};

// editManifest shows the editor of a page.
export function editManifest(area, nonce) {
  const side = document.querySelector("#editor-side");
  const view = makeEditor({area, parent: area.parentElement, nonce, complete: completeIn(area)});
  area.hidden = true;
  document.querySelector("[data-check]").hidden = true;

  // What the service says beside the text is marked in it.
  const mark = () => {
    const doc = view.state.doc;
    const found = [...side.querySelectorAll(".problem")].filter((problem) => problem.dataset.line !== "0").map((problem) => {
      const line = doc.line(Math.min(Number(problem.dataset.line), doc.lines));
      const from = Math.min(line.from + Math.max(0, Number(problem.dataset.column) - 1), line.to);
      return {from, to: line.to, severity: problem.dataset.severity, message: problem.querySelector(".problem-text").textContent};
    });
    view.dispatch(setDiagnostics(view.state, found));
    document.querySelector("#live").textContent = side.querySelector("h2")?.textContent ?? "";
  };
  new MutationObserver(mark).observe(side, {childList: true});
  mark();

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-goto]");
    if (!link) return;
    event.preventDefault();
    const line = view.state.doc.line(Math.min(Number(link.dataset.goto), view.state.doc.lines));
    view.dispatch({selection: {anchor: line.from}, effects: EditorView.scrollIntoView(line.from, {y: "center"})});
    view.focus();
  });

  // Leaving with changes asks first, unless a form submits them. A text that was refused is a change.
  const began = "unsaved" in area.dataset ? undefined : area.value;
  let submitting = false;
  document.addEventListener("submit", (event) => { submitting = event.target === area.form || side.contains(event.target); });
  window.addEventListener("beforeunload", (event) => {
    if (!submitting && area.value !== began) event.preventDefault();
  });
}
