package dev

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/shell"
)

// printBanner prints the addresses, the accounts and the next commands to try.
func printBanner(out io.Writer, c config.Config, o Options, newDemo bool) {
	base := "http://" + hostPort(c.Listen)
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	// A cell is part of a column only if a tab ends it, so lines of one cell do not widen columns.
	row := func(cells ...string) { fmt.Fprintln(table, strings.Join(cells, "\t")) }
	row("Procession is running.")
	row("  Console", base+web.Root, "sign in as Carol, Bob or Alice by a button")
	row("  REST", base+"/v2024-06-14", "contract: "+base+"/openapi/shape_b.yaml")
	if c.ListenTLS != "" {
		row("", "https://"+hostPort(c.ListenTLS)+"/v2024-06-14", "authority: "+base+"/dev/ca.pem")
	}
	access := "mTLS and tokens, from POST /v2024-06-14/authentications"
	if c.Clusters()[0].Credentials() != config.TemporalOwn {
		access = "without the guards of temporal-server"
	}
	if o.engine == engineOfficial {
		access = "Temporal's development server: no TLS, and every program on this machine reaches all workflows"
	}
	row("  Temporal", c.TemporalAddress, access)
	row("  Health", "http://"+hostPort(c.ListenHealth)+"/readyz", "/livez /metrics")
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
	if c.Listen == config.DefaultListen {
		row("  make demo")
	} else {
		row("  make demo " + shell.Word("DEMO_FLAGS=-endpoint "+base))
	}
	row(fmt.Sprintf("  export PROCESSION_SERVER=%s PROCESSION_TOKEN=%s", shell.Word(base), demo.Alice().Secret))
	row("  bin/procession get all")
	row("  "+string(shell.Command("bin/procession", "operators", "add", "--config", filepath.Join(o.dir, configFile),
		"--email", demo.Alice().Email, "--token")), "makes Alice an operator, who creates tenants")
	row("  " + string(shell.Command("curl", "-H", "Authorization: Bearer "+demo.Alice().Secret, base+"/v2024-06-14/processes?size=5")))
	row("")
	if !newDemo {
		row("The demo data were loaded before; your changes to them are kept. --ephemeral starts with new ones.")
	}
	if o.engine == engineOfficial {
		row("`make run ENGINE=guarded DEV_FLAGS='--dir .procession-guarded'` starts another stack with our Temporal, which keeps workers")
		row("to their tenants and task queues; it is compiled once, in 5 to 8 minutes.")
	}
	row("Ctrl-C stops all of it.")
	_ = table.Flush() // the stack runs without its banner too
}
