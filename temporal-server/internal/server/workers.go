package server

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/server/common/dynamicconfig"
	"google.golang.org/grpc"
)

// systemWorkers returns the setting for one of Temporal's own workers in each of the namespaces and in no other. A worker polls all the
// time, and takes memory in the process of the service worker.
func systemWorkers(namespaces []string) []dynamicconfig.ConstrainedValue {
	values := []dynamicconfig.ConstrainedValue{{Value: 0}}
	for _, namespace := range namespaces {
		values = append(values, dynamicconfig.ConstrainedValue{Constraints: dynamicconfig.Constraints{Namespace: namespace}, Value: 1})
	}
	return values
}

// refuseWithoutWorkers returns an interceptor that refuses calls which need one of Temporal's own workers in a namespace without one. Without
// it they would wait for the worker. No namespaces stand for all.
func refuseWithoutWorkers(namespaces []string) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		call, ok := request.(interface{ GetNamespace() string })
		if ok && len(namespaces) > 0 && !slices.Contains(namespaces, call.GetNamespace()) && needsSystemWorker(info.FullMethod, request) {
			return nil, serviceerror.NewFailedPrecondition(fmt.Sprintf(
				"The namespace %s has no workers of Temporal itself, which schedules, batches and worker deployments need: name it in --system-workers.",
				call.GetNamespace()))
		}
		return handler(ctx, request)
	}
}

// needsSystemWorker reports whether a call is about a schedule, a batch or a deployment of workers, and neither reads nor ends it.
func needsSystemWorker(fullMethod string, request any) bool {
	if poll, ok := request.(interface {
		GetDeploymentOptions() *deployment.WorkerDeploymentOptions
	}); ok {
		return poll.GetDeploymentOptions().GetWorkerVersioningMode() == enums.WORKER_VERSIONING_MODE_VERSIONED
	}
	method := path.Base(fullMethod)
	for _, harmless := range []string{"Describe", "List", "Count", "Stop", "DeleteSchedule"} {
		if strings.HasPrefix(method, harmless) {
			return false
		}
	}
	return strings.Contains(method, "Schedule") || strings.Contains(method, "BatchOperation") || strings.Contains(method, "WorkerDeployment")
}
