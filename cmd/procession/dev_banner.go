package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
)

// printBanner prints what runs where, who may use it, and what to try next.
func printBanner(out io.Writer, c Config, o devOptions, newDemo bool) {
	base := "http://" + hostPort(c.Listen)
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	// Only what a tab ends is part of a column, so a line of one cell widens none.
	row := func(cells ...string) { fmt.Fprintln(table, strings.Join(cells, "\t")) }
	row("Procession is running.")
	row("  Console", base+web.Root, "sign in as Carol, Bob or Alice by a button")
	row("  REST", base+"/v2024-06-14", "contract: "+base+"/openapi/shape_b.yaml")
	if c.ListenTLS != "" {
		row("", "https://"+hostPort(c.ListenTLS)+"/v2024-06-14", "authority: "+base+"/dev/ca.pem")
	}
	row("  Temporal", c.TemporalAddress, "mTLS and tokens, from POST /v2024-06-14/authentications")
	row("  Health", "http://"+hostPort(c.ListenAdmin)+"/readyz", "/livez /metrics")
	row("  Logs", filepath.Join(o.dir, "*.log"))
	row("")
	row("Demo users (Authorization: Bearer <token>)")
	for _, a := range []demo.Account{demo.Alice(), demo.Bob(), demo.Carol()} {
		row("  "+a.Name, a.Secret, a.Email)
	}
	row("Demo applications (curl -u <id>:<secret>)")
	for _, a := range []demo.Account{demo.LoanWorker(), demo.Reader(), demo.Stranger(), demo.OtherWorker()} {
		row("  "+a.Name, a.ID.String()+":"+a.Secret)
	}
	row("")
	row("Try next, in another terminal:")
	if c.Listen == defaultListen {
		row("  make demo")
	} else {
		row("  make demo DEMO_FLAGS='-endpoint " + base + "'")
	}
	row(fmt.Sprintf("  export PROCESSION_SERVER=%s PROCESSION_TOKEN=%s", base, demo.Alice().Secret))
	row("  bin/procession get all")
	row(fmt.Sprintf("  bin/procession operators add --config %s --email %s --token",
		filepath.Join(o.dir, devConfigFile), demo.Alice().Email), "makes Alice an operator, who creates tenants")
	row(fmt.Sprintf("  curl -H 'Authorization: Bearer %s' '%s/v2024-06-14/processes?size=5'", demo.Alice().Secret, base))
	row("")
	if !newDemo {
		row("The demo data were loaded before; your changes to them are kept. --ephemeral starts with new ones.")
	}
	row("Ctrl-C stops all of it.")
	// What cannot be shown is not worth stopping for.
	_ = table.Flush()
}
