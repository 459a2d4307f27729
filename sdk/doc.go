// Package procession is for workers of Procession: programs that run the workflows of process definitions. It knows the
// service by its REST API and by what Temporal carries, like any worker.
//
// A worker is a [Program], or a [Worker] within a larger one:
//
//	func main() {
//		procession.Program{Name: "claims", TaskQueue: "QUEUE_CLAIMS", Register: register}.Main()
//	}
//
//	func register(w *procession.Worker) error {
//		procession.RegisterWorkflow(w, "ClaimWorkflow", Claim)
//		return nil
//	}
//
// It gets a certificate and tokens for Temporal from the service and renews them, keeps itself registered, encrypts
// payloads where the definition says so, waits for a service or a Temporal that is down, and finishes what it has in
// hand when it is stopped.
//
// # Workflows
//
// A workflow takes one request and returns one response; to return it is to complete the process. The functions of this
// package that take a workflow.Context speak of the process that the workflow is about:
//
//	func Claim(ctx workflow.Context, request procession.WorkflowRequest) (procession.WorkflowResponse, error) {
//		report, err := procession.AwaitTask[Report](ctx, "REPORT")
//		if err != nil {
//			return procession.WorkflowResponse{}, err
//		}
//		decision, err := procession.AwaitTask[Decision](ctx, "DECIDE", procession.WithData(report.Data))
//		…
//	}
//
// Everything that they create has an id that follows from the process, so that a repeated activity, and even a second run
// of the whole workflow, finds what is there already. Activities are repeated for as long as it takes, except after a
// refusal that will not change. The rules of Temporal hold as ever: no clock, no random numbers and no network in a
// workflow.
//
// # Activities
//
// Whatever a workflow needs from elsewhere it gets from an activity ([RegisterActivity], [Call]). Activities call the API
// with the worker's [Client]. The operations of the API are activities too; [Execute] calls those that have no function.
//
// # Traces, metrics and logs
//
// Logs go to a slog.Logger. [Config].Temporal is the place for the interceptors and the metrics handler of Temporal's
// OpenTelemetry module, and [ClientConfig].Wrap for an HTTP transport that traces.
package procession
