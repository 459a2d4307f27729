// Package pdf makes layouts of forms: the data of a template that typesets them as PDF (A27, B33). A layout contains the
// texts of a form by line, with direction and language, its tables with widths of columns, and its images, decoded and
// scaled. Functions of the caller open referenced documents and find characters that no font has.
package pdf
