package api_test

import (
	"flag"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/manifest"
	"github.com/procession-dev/procession/sdk/processiontest/conformance"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// updateConformance writes the answers of the service into the scripts of the conformance suite.
var updateConformance = flag.Bool("update-conformance", false, "write the answers of the service into the scripts of the conformance suite")

// The service answers workers as the one in memory does that they are tested with.
func TestServiceAnswersAsInTheTestsOfWorkers(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	sources, err := manifest.ReadFS(conformance.Definitions)
	require.NoError(t, err)
	documents := make([]string, len(sources))
	for i, source := range sources {
		documents[i] = string(source.JSON)
	}
	s.Post(200, demo.Alice(), apitest.ApplyPath, apitest.Applying("", documents...))
	callers := map[string]demo.Account{"worker": demo.LoanWorker(), "alice": demo.Alice(), "bob": demo.Bob()}
	target := conformance.Service{
		URL: apitest.Host, Client: &http.Client{Transport: contracttest.InProcess(s.Handler)},
		Authorization: map[string]string{}, Names: map[string]uuid.UUID{},
	}
	for name, account := range callers {
		target.Authorization[name], target.Names[name] = apitest.Authorization(account), account.ID
	}
	if *updateConformance {
		target.Update = "../sdk/processiontest/conformance/scripts"
	}
	conformance.Run(t, "requests", target)
}
