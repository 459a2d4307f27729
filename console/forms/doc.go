// Package forms shows forms and keeps what is entered in them. A page of any screen
// shows a form with Screen.View, gives it a Store, and adds Screen.Routes to its own.
//
// Below the path P of the page, a form uses four routes:
//
//	POST P/form              what was entered
//	GET  P/form/found        what a control may refer to
//	POST P/form/items        items of a data source: the search, and what came of it
//	POST P/form/files        a file, whose content is the body
//
// The form works without a script: it posts all its inputs, and every button is one of
// theirs. "v" and the name of a node (form.Node.Name) is the text of a control, "o" the
// keys of the rows of an array in their order, "r" the reference that was found for a
// text, "u" a file; version, base, zone, conflict and theirs are what the page was made
// from, origin and once those of a Draft; tried is there after completing was tried; do
// is the button.
//
// The script (form.js) sends the same inputs, but only those that changed, without base,
// and with the header "Accept: application/json". The answer is an Answer:
//
//   - "saved": the value has what was sent. Keys are the new keys of rows, HTML is the
//     form again where its parts have become others.
//   - "base": the value was changed meanwhile. The script sends the same again with base
//     and with all that it has not seen saved.
//   - "conflict": as "saved", but for values that another person has changed too. HTML
//     shows both, and the person chooses one of them.
//   - "incomplete": what the form is for cannot be completed, or only by the button that
//     does so anyway; Problems say why.
//   - "done": it is completed, and the page to go on at is To.
//
// A value is entered in one of two manners. That of a Saver is saved while it is entered,
// for everybody to see. That of a Draft stays in the page, and with a script in the
// storage of the tab, until its button sends it whole: its posts are answered with the
// form as it is then, its rules and what is wrong with it, and change nothing. Several
// values are entered in one form by form.Join.
//
// A data source is searched by buttons whose value has the whole search: "find" asks it,
// looks for the answer or turns the page, "choose" takes an item. The script presses
// "find" while the person types, and looks for the answer by itself; the route of items
// answers it with the part of the page below the control.
//
// An answer with another content type is a failure. The script then keeps what was typed
// in the session storage of the browser, says so, and tries again.
package forms
