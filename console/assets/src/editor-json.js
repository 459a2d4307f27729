// The editor of a value of a form that is edited as JSON. It is in a shadow tree, which the
// morph of the form leaves alone; the text area stays the one that is sent. The service
// completes and checks the text, with the statements of the schema about the place.
import {linter, forceLinting} from "@codemirror/lint";
import {EditorView} from "@codemirror/view";
import {makeEditor} from "./editor-kit.js";

const wait = 400; // milliseconds after the last change before the text is checked

// ask sends the text with the state of the form around it.
const ask = async (area, more) => {
  const body = new URLSearchParams({at: area.name.slice(1), text: area.value, ...more});
  for (const input of area.form.elements) {
    if (/^b(~|\/|$)/.test(input.name) && (input.type !== "radio" || input.checked)) body.append(input.name, input.value);
  }
  if (area.form.dataset.draft !== undefined) body.set("base", area.form.elements.namedItem("base").value);
  const answer = await fetch(`${area.form.action}/json`, {method: "POST", body});
  return answer.ok ? answer.json() : {problems: [], options: []};
};

const complete = (area) => async (context) => {
  const word = context.matchBefore(/"?[\w$.-]*$/);
  if (!context.explicit && !word?.text && !/[{[,:]\s*$/.test(context.state.sliceDoc(Math.max(0, context.pos - 20), context.pos))) return null;
  const {from, to, options} = await ask(area, {cursor: context.pos});
  if (!options?.length) return null;
  return {
    from, to, filter: true, validFor: /^"?[\w$.-]*$/,
    options: options.map(({text, ...option}, i) => ({...option, label: option.label, apply: text, boost: -i})),
  };
};

// editJSON shows the editor of a text area and returns it.
export function editJSON(area) {
  const host = area.parentElement;
  const root = host.attachShadow({mode: "open", delegatesFocus: true});
  const source = async () => (await ask(area)).problems.map(({from, to, message}) => ({from, to, severity: "error", message}));
  const view = makeEditor({
    area, root, parent: root, complete: complete(area),
    more: [linter(source, {delay: wait}), EditorView.theme({"&": {minHeight: "8rem", maxHeight: "32rem", border: "1px solid var(--tblr-border-color)"}})],
  });
  area.focus = () => view.focus();
  area.scrollIntoView = (options) => host.scrollIntoView(options);
  for (const label of area.labels) label.addEventListener("click", () => view.focus());
  // refresh takes over what the service has changed.
  const refresh = () => {
    const doc = view.state.doc.toString();
    view.contentDOM.ariaInvalid = area.ariaInvalid;
    if (area.value !== doc) view.dispatch({changes: {from: 0, to: doc.length, insert: area.value}});
  };
  forceLinting(view);
  return {refresh, view};
}
