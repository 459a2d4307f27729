// The editor of texts that the service checks: manifests, and values of forms without a control of their own.
import {autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap} from "@codemirror/autocomplete";
import {defaultKeymap, history, historyKeymap} from "@codemirror/commands";
import {yaml} from "@codemirror/lang-yaml";
import {HighlightStyle, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting} from "@codemirror/language";
import {lintGutter, lintKeymap} from "@codemirror/lint";
import {highlightSelectionMatches, searchKeymap} from "@codemirror/search";
import {EditorState} from "@codemirror/state";
import {EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers} from "@codemirror/view";
import {tags} from "@lezer/highlight";

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

// Mod-Enter completes forms.
const keys = defaultKeymap.filter(({key}) => key !== "Mod-Enter");

// makeEditor shows an editor for the text of an area, which stays the one that is sent. root is the
// shadow root around parent, if there is one. JSON is read as YAML, which contains it.
export function makeEditor({area, parent, root, nonce = "", complete, more = []}) {
  return new EditorView({
    parent, root,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        EditorView.cspNonce.of(nonce), lineNumbers(), foldGutter(), lintGutter(), history(), drawSelection(), indentOnInput(),
        closeBrackets(), highlightActiveLine(), highlightSelectionMatches(), EditorView.lineWrapping, EditorState.tabSize.of(2),
        yaml(), syntaxHighlighting(colours), look, autocompletion({override: [complete]}), more,
        EditorView.contentAttributes.of({"aria-label": area.labels[0]?.textContent ?? area.ariaLabel ?? "", tabindex: "0"}),
        keymap.of([...closeBracketsKeymap, ...keys, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap]),
        EditorView.updateListener.of((update) => {
          const text = update.state.doc.toString();
          if (!update.docChanged || text === area.value) return;
          area.value = text;
          area.dispatchEvent(new Event("input", {bubbles: true}));
        }),
      ],
    }),
  });
}
