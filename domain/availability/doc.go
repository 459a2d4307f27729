// Package availability parses and evaluates the expressions that decide when a
// user action can be used: boolean jq expressions written as ${ ... }, over the state
// of a process and of its tasks (specification sections 2.12 and 2.13).
//
// Administrators write them, the service runs them whenever a caller reads a
// process, and neither a deadline nor a memory limit applies within jq's built-in
// functions. Therefore Parse accepts only constructs that are known to be cheap,
// and determines the type of every part, which also catches mistakes: a field or
// a state that does not exist, a result that is never true or false.
//
// # What can be written
//
//   - the model: .process.state, .process.createdAt, .process.lastModifiedAt,
//     .tasks.CODE or .tasks["CODE"] and the same three fields below it. A task
//     that does not exist is null, and so are its fields;
//   - null, true, false, numbers of up to 15 digits, strings, ( ), |, and the
//     input of the expression at hand, written as a dot;
//   - == != < <= > >=, and, or, not, //, if ... then ... elif ... else ... end;
//   - + - * / % on numbers, and now, which is the time in seconds since 1970;
//   - "as $name |" with a single variable; { name: value }, whose values are single
//     and no objects themselves; and ?, after which what fails has no output, as in
//     (f)? // 0;
//   - .[] on tasks and arrays, arrays of plain values or tasks, and the comma in
//     arrays and arguments;
//   - any, all, any(f), all(f), any(g; f), all(g; f), map(f), select(f), length,
//     keys, has("CODE"), IN(a, b), startswith("text"), endswith("text"),
//     test("pattern") with an RE2 pattern of at most 200 characters, fromdate, which
//     makes seconds of a time, and todate, which makes a time of seconds.
//
// Times are texts such as 2026-01-31T08:00:00.250000Z, always in UTC and to the
// microsecond, so that comparing them as texts compares the times. A text of RFC
// 3339 that is compared with a time gets the same form, whatever its offset and
// however many digits it has. As everywhere in jq null is less than any text: a task that may not exist wants a test for
// null before its times are compared.
//
// Everything else is refused, with its place in the text: patterns that are
// computed, anything by which texts, arrays or objects grow, definitions, loops
// and recursion, try and catch, destructuring, assignment, slices, indexes that
// are computed, formats, the environment and other inputs.
package availability
