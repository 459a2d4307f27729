// The editor of manifests takes the place of the text area, which stays the one that is
// sent. What is wrong with the text is what the service says beside it.
import {autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap} from "@codemirror/autocomplete";
import {defaultKeymap, history, historyKeymap} from "@codemirror/commands";
import {yaml} from "@codemirror/lang-yaml";
import {HighlightStyle, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting} from "@codemirror/language";
import {lintGutter, lintKeymap, setDiagnostics} from "@codemirror/lint";
import {highlightSelectionMatches, searchKeymap} from "@codemirror/search";
import {EditorState} from "@codemirror/state";
import {EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers} from "@codemirror/view";
import {tags} from "@lezer/highlight";

const nonce = document.currentScript.nonce;
const area = document.querySelector("textarea[data-editor]");
const side = document.querySelector("#editor-side");

// The schemas that the service checks manifests with, by kind.
const schemas = new Map();
const schemaOf = (kind) => {
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

const complete = async (context) => {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const {keys, kind, here} = place(context.state.doc, line);
  const root = await schemaOf(kind ?? "any");
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

const colours = HighlightStyle.define([
  {tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--tblr-primary)"},
  {tag: [tags.string, tags.content], color: "var(--tblr-body-color)"},
  {tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--tblr-green)"},
  {tag: tags.comment, color: "var(--tblr-secondary-color)", fontStyle: "italic"},
  {tag: [tags.meta, tags.punctuation, tags.separator], color: "var(--tblr-secondary-color)"},
]);

const look = EditorView.theme({
  "&": {color: "var(--tblr-body-color)", backgroundColor: "var(--tblr-bg-forms)", fontSize: ".8125rem", height: "100%"},
  "&.cm-focused": {outline: "2px solid var(--tblr-primary)", outlineOffset: "-1px"},
  ".cm-scroller": {fontFamily: "var(--tblr-font-monospace)", lineHeight: "1.5"},
  ".cm-content": {caretColor: "var(--tblr-body-color)"},
  ".cm-cursor": {borderLeftColor: "var(--tblr-body-color)"},
  ".cm-gutters": {color: "var(--tblr-secondary-color)", backgroundColor: "var(--tblr-bg-surface-secondary)", border: "0"},
  ".cm-activeLine, .cm-activeLineGutter": {backgroundColor: "var(--tblr-active-bg)"},
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    {background: "rgba(var(--tblr-primary-rgb), .25)"},
  ".cm-tooltip, .cm-panels": {color: "var(--tblr-body-color)", backgroundColor: "var(--tblr-bg-surface)", border: "1px solid var(--tblr-border-color)"},
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {color: "var(--tblr-primary-fg)", backgroundColor: "var(--tblr-primary)"},
  ".cm-completionDetail": {color: "inherit", marginLeft: "1rem"},
  ".cm-completionInfo": {maxWidth: "22rem", padding: ".375rem .5rem"},
  ".cm-diagnostic": {padding: ".25rem .5rem"},
});

const view = new EditorView({
  parent: area.parentElement,
  state: EditorState.create({
    doc: area.value,
    extensions: [
      EditorView.cspNonce.of(nonce), lineNumbers(), foldGutter(), lintGutter(), history(), drawSelection(), indentOnInput(),
      closeBrackets(), highlightActiveLine(), highlightSelectionMatches(), EditorView.lineWrapping, EditorState.tabSize.of(2),
      yaml(), syntaxHighlighting(colours), look, autocompletion({override: [complete]}),
      EditorView.contentAttributes.of({"aria-label": area.labels[0]?.textContent ?? "", tabindex: "0"}),
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap]),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        area.value = update.state.doc.toString();
        area.dispatchEvent(new Event("input", {bubbles: true}));
      }),
    ],
  }),
});
area.hidden = true;
document.querySelector("[data-check]").hidden = true;

// What the service says beside the text is marked in it.
const mark = () => {
  const doc = view.state.doc;
  const found = [...side.querySelectorAll(".problem")].filter((problem) => problem.dataset.line !== "0").map((problem) => {
    const line = doc.line(Math.min(Number(problem.dataset.line), doc.lines));
    const from = Math.min(line.from + Math.max(0, Number(problem.dataset.column) - 1), line.to);
    return {from, to: line.to, severity: "error", message: problem.querySelector(".problem-text").textContent};
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

// Leaving with changes asks first, unless they are being applied. A text that was refused
// is a change.
const began = "unsaved" in area.dataset ? undefined : area.value;
let applying = false;
area.form.addEventListener("submit", () => { applying = true; });
window.addEventListener("beforeunload", (event) => {
  if (!applying && area.value !== began) event.preventDefault();
});
