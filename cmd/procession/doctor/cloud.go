package doctor

import "context"

// checkCloud calls the operations API of Temporal Cloud, and reports the failures that the service recorded.
func (d *doctor) checkCloud(ctx context.Context) Finding {
	if d.CheckCloud == nil {
		return ok("no cluster is in Temporal Cloud")
	}
	if err := d.CheckCloud(ctx); err != nil {
		return fail("check the API key of --temporal-cloud-api-key-file or of the member cloud of the cluster", "%s", errorText(err))
	}
	problems, err := d.db.Reader().ListCloudProblems(ctx)
	if err != nil {
		return fail("see the log of PostgreSQL", "%s", errorText(err))
	}
	if len(problems) > 0 {
		return fail("follow the message; the service tries again by itself", "%s: %s (%d in all)", problems[0].Namespace, problems[0].Problem, len(problems))
	}
	return ok("the API keys are accepted, and namespaces and workers are set up")
}
