// Package procession is the SDK for workers of Procession: programs that run the workflows of process definitions. It uses
// the public REST API and Temporal only.
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
// A worker gets a certificate and tokens for Temporal from the service and renews them, registers itself, encrypts
// payloads if the definition requires it, waits while the service or Temporal is down, and finishes running activities
// before it stops.
//
// # Workflows
//
// A workflow takes one request and returns one response, which completes the process. The functions of this package that
// take a workflow.Context act on the process of the workflow:
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
// They derive the ids of new resources from the process, so that a retried activity, and a second run of the workflow,
// finds the existing resources. Activities are retried without limit, except after a permanent refusal. The rules of
// Temporal apply: no clock, no random numbers and no network in a workflow.
//
// # Activities
//
// A workflow calls other systems in activities ([RegisterActivity], [Call]). Activities call the API with the worker's
// [Client]. The operations of the API are activities too; [Execute] calls operations without a function of their own.
// Operations send heartbeats, so that one is retried after eight seconds if its task was lost with a host or a worker. A lost task
// of another activity is retried after a minute; set a shorter StartToCloseTimeout, or a HeartbeatTimeout and record heartbeats.
//
// # Traces, metrics and logs
//
// Logs go to a slog.Logger. Set [Config].Temporal to the interceptors and the metrics handler of Temporal's OpenTelemetry
// module, and [ClientConfig].Wrap to a tracing HTTP transport.
package procession
