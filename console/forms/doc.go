// Package forms shows forms and processes their posts. A page shows a form with Screen.View, gives
// it a Store, and adds Screen.Routes to its routes.
//
// A form uses five routes below the path P of its page:
//
//	POST P/form              the input
//	GET  P/form/found        search of references for a control
//	POST P/form/items        search of items in a data source
//	POST P/form/files        a file as the body
//	POST P/form/json         completions and errors of a text that is edited as JSON
//
// Without a script the form posts all its inputs, and buttons are inputs too. The names of inputs:
// "v" and the name of a node (form.Node.Name) for the text of a control, "o" for the keys of an
// array's rows in order, "r" for the reference found for a text, "u" for a file, "b" for the
// selected alternative of a choice (form.KindChoice) or an opened object; version, base, zone,
// conflict and theirs for the state of the page, origin and once for a Draft; tried after
// an attempt to complete; do for the button.
//
// The script (form.js) sends the changed inputs only, without base, and the header
// "Accept: application/json". It receives an Answer:
//
//   - "saved": the input is saved. Keys are the new keys of rows; HTML is the form if its parts
//     have changed.
//   - "base": another person changed the value. The script sends base and all unsaved inputs.
//   - "conflict": as "saved", except for values that another person has changed too. HTML shows
//     both, and the person chooses one.
//   - "incomplete": the form cannot be completed, or only by the button that completes anyway;
//     Problems has the reasons.
//   - "done": the form is completed; To is the next page.
//
// A Saver saves input while it is entered. A Draft keeps it in the page, and with a script in the
// storage of the tab, until its button sends the whole value; until then posts only return the form
// with its current rules and errors. form.Join joins several values in one form.
//
// The value of a button for a data source contains the whole search: "find" starts it, polls it or
// turns the page, "choose" takes an item. The script presses "find" while the person types and polls
// by itself; the route of items returns the results below the control.
//
// An answer with another content type is a failure. The script then keeps the input in the session
// storage of the browser, shows a message, and tries again.
package forms
