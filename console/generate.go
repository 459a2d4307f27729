package console

//go:generate ../bin/tools/templ generate -path . -log-level warn
