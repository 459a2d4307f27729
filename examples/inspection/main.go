// Command inspection is a worker for the process INSPECTION, written against version 2022-10-08 of the REST API.
package main

import (
	"flag"

	"github.com/procession-dev/procession/examples/inspection/inspecting"
	"github.com/procession-dev/procession/sdk"
)

func main() {
	var options inspecting.Options
	procession.Program{
		Name: "inspection", Prefix: "INSPECTION_WORKER", TaskQueue: inspecting.TaskQueue,
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&options.WithActivityToken, "activity-token", false,
				"wait for tasks in activities that the service completes, as old workers do")
		},
		Register: func(w *procession.Worker) error { return inspecting.Register(w, options) },
	}.Main()
}
