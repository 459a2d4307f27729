package api_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// matrix contains the response of every operation of the shapes to every caller. The
// columns are callers with resources of their own tenant; the last, foreign, stands for
// all of them except anonymous with resources of another tenant or unknown ids. The
// tenant of every caller but "other" is Demo. Its resources are a LOAN that initiator
// started, with an APPROVE_LOAN that owner owns, and a CUSTOMER with candidate as Editor
// through a group. The callers owner, manager, viewer, stranger and other are
// applications; manifests make owner and other workers.
//
// A cell is a status and, if several codes share it, a letter (see codes). Lists with
// results are 200+, empty ones 200-. "other" delegates to itself. "claim_READY" claims a task without an owner. A 403w
// is the response to a caller that is not a worker. Documents are temporary ones of a
// manager, or linked to the task or the process.
const matrix = `
operation                           owner tenant-owner administrator manager viewer candidate initiator stranger other anonymous foreign
A.findPrincipals                    200+  200+         200+          200+    200+   200+      200+      200+     200+  401       200-
A.retrievePrincipal                 200   200          200           200     200    200       200       200      200   401       404
A.findTenantUsers                   200+  200+         200+          200+    200+   200+      200+      200+     200+  401       200-
A.retrieveTenantUser                200   200          200           200     200    200       200       200      200   401       404

A.findProcesses                     200+  200-         200-          200+    200+   200+      200+      200-     200+  401       200-
A.createProcess                     404d  404d         404d          201     403    404d      201       404d     201   401       404d
A.retrieveProcess                   200   404          404           200     200    200       200       404      200   401       404
A.actionsProcessChangeInitiator     403   404          404           200     403    403       403       404      200   401       404
A.actionsProcessSaveElement         403   404          404           200     403    403       403       404      200   401       404
A.actionsProcessDeleteElement       403   404          404           200     403    403       403       404      200   401       404
A.actionsProcessComplete            403   404          404           200     403    403       403       404      200   401       404
A.actionsProcessCancel              403   404          404           200     403    403       403       404      200   401       404
A.actionsProcessSaveUserActionValueDocument 403 404    404           200     403    403       403       404      200   401       404
A.actionsProcessSaveEntityData      403   404          404           200     403    403       403       404      200   401       404
A.actionsProcessSaveEntityDocument  403   404          404           200     403    403       403       404      200   401       404
A.actionsProcessDownloadEntityDocument 404   404   404   200   404   404   404   404   200   401   404
A.actionsProcessDownloadEntityDocument_OF_TASK 200   404   404   200   200   200   404   404   200   401   404
A.actionsProcessDownloadEntityDocument_OF_PROCESS 200   404   404   200   200   200   200   404   200   401   404

A.findTasks                         200+  200-         200-          200+    200+   200+      200-      200-     200+  401       200-
A.createTask                        403   404          404           201     403    403       403       404      201   401       404
A.retrieveTask                      200   404          404           200     200    200       404       404      200   401       404
A.claim_READY                       404   404          404           403     403    200       404       404      200   401       404
A.actionsTaskClaim                  200   404          404           403     403    409c      404       404      200   401       404
A.actionsTaskAssign                 200   404          404           200     403o   403o      404       404      200   401       404
A.actionsTaskSaveElement            200   404          404           200     403o   403o      404       404      200   401       404
A.actionsTaskSaveElementValueDocument 200 404          404           200     403o   403o      404       404      200   401       404
A.actionsTaskDeleteElement          200   404          404           200     403o   403o      404       404      200   401       404
A.actionsTaskDeleteElementValueDocument 200 404        404           200     403o   403o      404       404      200   401       404
A.actionsTaskDownloadElementValueDocument 200 404      404           200     200    200       404       404      200   401       404
A.actionsTaskDownloadElementValueRendered 200 404        404           200     200    200       404       404      200   401       404
A.actionsTaskSaveJsonFormsValueData 200   404          404           200     403o   403o      404       404      200   401       404
A.actionsTaskSaveJsonFormsValueDocument 200 404        404           200     403o   403o      404       404      200   401       404
A.actionsTaskDownloadJsonFormsValueDocument 404   404   404   200   404   404   404   404   200   401   404
A.actionsTaskDownloadJsonFormsValueDocument_OF_TASK 200   404   404   200   200   200   404   404   200   401   404
A.actionsTaskDownloadJsonFormsValueDocument_OF_PROCESS 200   404   404   200   200   200   404   404   200   401   404
A.actionsTaskComplete               200   404          404           403o    403o   403o      404       404      200   401       404
A.actionsTaskAppendLog              200   404          404           200     403o   403o      404       404      200   401       404

A.findRobots                        200-  200+         200+          200-    200+   200-      200-      200-     200+  401       200-
A.retrieveRobot                     404   200          200           404     200    404       404       404      200   401       404
A.actionsRobotDownloadSourceCode    404   200          200           404     200    404       404       404      200   401       404
A.actionsRobotDownloadAsset         404   200          200           404     200    404       404       404      200   401       404

A.createWorker                      201   403          403           403     403    403       403       403      201   401       400
A.createAuthentication              200   403          403           403     403    403       403       403      200   401       400

B.findPrincipals                    200+  200+         200+          200+    200+   200+      200+      200+     200+  401       200-
B.retrievePrincipal                 200   200          200           200     200    200       200       200      200   401       404
B.findTenants                       200+  200+         200+          200+    200+   200+      200+      200+     200+  401       200-
B.retrieveTenant                    200   200          200           200     200    200       200       200      200   401       404
B.findTenantUsers                   200+  200+         200+          200+    200+   200+      200+      200+     200+  401       200-
B.retrieveTenantUser                200   200          200           200     200    200       200       200      200   401       404
B.findGroups                        200+  200+         200+          200+    200+   200+      200+      200+     200+  401       200-

B.findNotifications                 200   200          200           200     200    200       200       200      200   401       200
B.readNotifications                 204   204          204           204     204    204       204       204      204   401       204
B.streamEvents                      200   200          200           200     200    200       200       200      200   401       200

B.findProcessDefinitions            200+  200-         200-          200+    200+   200+      200+      200-      200+  401       200-
B.retrieveProcessDefinition         200   404          404           200     200    200       200       404      200   401       404
B.findBusinessArtifactDefinitions   200-  200-         200-          200+    200+   200+      200-      200-     200+  401       200-
B.retrieveBusinessArtifactDefinition 404  404          404           200     200    200       404       404      200   401       404

B.findProcesses                     200+  200-         200-          200+    200+   200+      200+      200-     200+  401       200-
B.createProcess                     404d  404d         404d          201     403    404d      201       404d     201   401       404d
B.retrieveProcess                   200   404          404           200     200    200       200       404      200   401       404
B.findProcessEvents                 200+  404          404           200+    200+   200+      200+      404      200+  401       404
B.deleteProcess                     403   404          404           204     403    403       403       404      204   401       404
B.completeProcess                   403   404          404           200     403    403       403       404      200   401       404
B.cancelProcess                     403   404          404           200     403    403       403       404      200   401       404
B.cancelProcessProcessItems         403   404          404           200     403    403       403       404      200   401       404
B.changeProcessInitiator            403   404          404           200     403    403       403       404      200   401       404
B.updateProcessMetadata             403   404          404           200     403    403       403       404      200   401       404
B.patchProcessMetadata              403   404          404           200     403    403       403       404      200   401       404
B.updateProcessEntity               403   404          404           200     403    403       403       404      200   401       404
B.uploadProcessDocument             200   404          404           200     403    403       403       404      200   401       404
B.downloadProcessDocument           404   404   404   200   404   404   404   404   200   401   404
B.downloadProcessDocument_OF_TASK   200   404   404   200   200   200   404   404   200   401   404
B.downloadProcessDocument_OF_PROCESS 200   404   404   200   200   200   200   404   200   401   404
B.exportProcess                     200   404          404           200     200    200       200       404      200   401       404
B.uploadProcessUserActionDocument   403   404          404           200     403    403       403       404      200   401       404
B.patchProcessEntity                403   404          404           200     403    403       403       404      200   401       404

B.findProcessItems                  200+  200-         200-          200+    200+   200+      200-      200-     200+  401       200-
B.createProcessItem                 403   404          404           201     403    403       403       404      201   401       404
B.retrieveProcessItem               200   404          404           200     200    200       404       404      200   401       404
B.claim_READY                       404   404          404           403     403    200       404       404      200   401       404
B.claimProcessItemTask              200   404          404           403     403    409c      404       404      200   401       404
B.assignProcessItemTask             200   404          404           200     403o   403o      404       404      200   401       404
B.delegateProcessItemTask           200   404          404           200     403o   403o      404       404      400   401       404
B.releaseProcessItemTask            200   404          404           200     403o   403o      404       404      200   401       404
B.completeProcessItemTask           200   404          404           403o    403o   403o      404       404      200   401       404
B.appendProcessItemTaskLog          200   404          404           200     403o   403o      404       404      200   401       404
B.updateProcessItemTaskData         200   404          404           200     403o   403o      404       404      200   401       404
B.patchProcessItemTaskData          200   404          404           200     403o   403o      404       404      200   401       404
B.updateProcessItemTaskPlanning     200   404          404           200     403o   403o      404       404      200   401       404
B.updateProcessItemTaskContextData  403   404          404           200     403    403       404       404      200   401       404

B.retrieveProcessItemAiAssistance   200   404          404           200     200    200       404       404      200   401       404
B.generateProcessItemAiAssistance   200   404          404           200     403    200       404       404      200   401       404
B.downloadProcessItemTaskDataWebformsAsDocument 200 404 404           200     200    200       404       404      200   401       404

B.findBusinessArtifacts             200-  200-         200-          200+    200+   200+      200-      200-     200+  401       200-
B.createBusinessArtifact            404d  404d         404d          201     403    201       404d      404d     201   401       404d
B.retrieveBusinessArtifact          404   404          404           200     200    200       404       404      200   401       404
B.deleteBusinessArtifact            404   404          404           204     403    403       404       404      204   401       404
B.restoreBusinessArtifact           404   404          404           200     403    403       404       404      200   401       404
B.updateBusinessArtifactData        404   404          404           200     403    200       404       404      200   401       404
B.patchBusinessArtifactData         404   404          404           200     403    200       404       404      200   401       404
B.uploadBusinessArtifactDocument    404   404          404           200     403    200       404       404      200   401       404
B.downloadBusinessArtifactDocument  404   404   404   200   404   404   404   404   200   401   404

B.uploadDocument                    200   404          404           200     403    403       403       404      200   401       404
B.uploadDocument_OF_ARTIFACT        404   404          404           200     403    200       404       404      200   401       404
B.downloadDocument                  404   404   404   200   404   404   404   404   200   401   404
B.downloadDocument_OF_TASK          200   404   404   200   200   200   404   404   200   401   404
B.downloadDocument_OF_PROCESS       200   404   404   200   200   200   200   404   200   401   404
B.downloadDocument_OF_ARTIFACT      404   404   404   200   404   404   404   404   200   401   404

B.createProcessAction               403   404          404           201     403    403       403       404      201   401       404
B.findAvailableProcessActions       200   404          404           200     200    200       200       404      200   401       404
B.retrieveProcessAction             200   404          404           200     200    200       200       404      200   401       404
B.cancelProcessAction               403   404          404           200     403    403       403       404      200   401       404
B.uploadProcessActionDocument       403   404          404           200     403    403       403       404      200   401       404

B.createBusinessArtifactAction      404   404          404           201     403    201       404       404      201   401       404
B.retrieveBusinessArtifactAction    404   404          404           200     200    200       404       404      200   401       404
B.cancelBusinessArtifactAction      404   404          404           200     403    403       404       404      200   401       404
B.prepareBusinessArtifactCreateArtifact 404 404        404           200     403    200       404       404      200   401       404
B.prepareBusinessArtifactStartProcess 404 404          404           200     403    403       404       404      200   401       404

B.findRobots                        200-  200+         200+          200-    200+   200-      200-      200-     200+  401       200-
B.retrieveRobot                     404   200          200           404     200    404       404       404      200   401       404
B.downloadRobotSourceCode           404   200          200           404     200    404       404       404      200   401       404
B.downloadRobotAsset                404   200          200           404     200    404       404       404      200   401       404

B.createDataSourceQuery             404   404          404           404     202    202       404       404      202   401       404
B.retrieveDataSourceQuery           404   404          404           404     404    200       404       404      200   401       404

B.createWorker                      201   403          403           403     403    403       403       403      201   401       400
B.createAuthentication              200   403          403           403     403    403       403       403      200   401       400

B.retrieveKmsKey                    200   403w         403w          403w    403w   403w      403w      403w     200   401       404
`

// ask sends the request of a row; everything about it that could differ between
// two of them is fixed.
func (c cast) ask(s *apitest.Service, caller, row string, about things) apitest.Answer {
	s.T.Helper()
	op := about.matrixRequest(row)
	r := apitest.Request(s.T, c.accounts[caller], op.method, op.path, op.body)
	if caller == "anonymous" {
		r.Header.Del("Authorization")
	}
	r.Header.Set("X-Request-Id", "matrix")
	return s.Send(r)
}

// requireCell requires that an answer matches a cell of the matrix.
func requireCell(t *testing.T, cell string, got apitest.Answer) {
	t.Helper()
	require.Equal(t, cell[:3], strconv.Itoa(got.Status), got.Body)
	code, isRefused := codes()[cell]
	switch {
	case isRefused:
		failure := apitest.Decode[struct{ Errors []struct{ Code string } }](t, got)
		require.NotEmpty(t, failure.Errors, got.Body)
		require.Equal(t, code, failure.Errors[0].Code, got.Body)
	case strings.HasSuffix(cell, "+"):
		require.NotEmpty(t, apitest.Decode[apitest.Listed](t, got).Content)
		if total, counted := totalOf(t, got); counted {
			require.Positive(t, total)
		}
	case strings.HasSuffix(cell, "-"):
		require.Empty(t, apitest.Decode[apitest.Listed](t, got).Content)
		if total, counted := totalOf(t, got); counted {
			require.Zero(t, total)
		}
	}
}

// totalOf returns the total of a list. Lists of events have none.
func totalOf(t *testing.T, got apitest.Answer) (total int64, counted bool) {
	t.Helper()
	page := apitest.Decode[struct {
		Metadata *struct{ TotalElements *int64 }
	}](t, got)
	if page.Metadata == nil {
		return 0, false
	}
	require.NotNil(t, page.Metadata.TotalElements, got.Body)
	return *page.Metadata.TotalElements, true
}

// This matrix covers the shapes; adminMatrix covers administration. A new
// contract needs a matrix too.
func TestEveryContractHasAMatrix(t *testing.T) {
	t.Parallel()
	require.Subset(t, []string{"A", "B", "admin"}, slices.Collect(maps.Keys(apitest.Contracts)))
}

// Every cell works on a process and a task of its own.
func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	// There are more cells than a tenant may ask for assistance in a day.
	s := apitest.NewServiceWithin(t, apitest.Bounds{Quotas: &domain.Quotas{
		TemporaryDocuments: 1 << 20, TemporaryBytes: 1 << 40, AssistancePerDay: 1 << 20, AssistanceAtOnce: 1 << 20,
	}})
	c := newCast(s)
	mine, others := c.things(s, "owner", false), c.things(s, "other", false)
	lines := strings.Split(strings.TrimSpace(matrix), "\n")
	callers := strings.Fields(lines[0])[1:]
	require.Equal(t, "foreign", callers[len(callers)-1])
	callers = callers[:len(callers)-1]
	rows := map[string]bool{}
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		if len(cells) == 0 {
			continue
		}
		require.Len(t, cells, 2+len(callers), line)
		row, cells := cells[0], cells[1:]
		rows[row] = true
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			for i, caller := range callers {
				t.Run(caller, func(t *testing.T) {
					t.Parallel()
					s := s.In(t)
					own, foreign, elsewhere := mine, others, cells[len(callers)]
					switch {
					case caller == "other":
						own, foreign = others, mine
					case caller == "anonymous", cells[i] == "403w":
						elsewhere = cells[i]
					}
					ready := strings.HasSuffix(row, ".claim_READY")
					if ready || changes(own.matrixRequest(row), cells[i]) {
						own = c.things(s, caller, ready)
					}
					got := c.ask(s, caller, row, own)
					requireCell(t, cells[i], got)
					absent := c.ask(s, caller, row, absentThings())
					requireCell(t, elsewhere, absent)
					requireSame(t, absent, c.ask(s, caller, row, foreign))
					if strings.HasPrefix(cells[i], "404") {
						requireSame(t, absent, got)
					}
				})
			}
		})
	}
	for _, name := range operationNames() {
		require.True(t, rows[name], "%s has no row", name)
	}
}

// changes reports whether an operation answered with the cell may change its
// resource.
func changes(op operation, cell string) bool {
	return op.method != http.MethodGet && strings.HasPrefix(cell, "2")
}

// requireSame requires two answers to be the same in all but the timestamp,
// which is shorter when it ends in zeros.
func requireSame(t *testing.T, want, got apitest.Answer) {
	t.Helper()
	require.Equal(t, want.Status, got.Status)
	want.Header.Del("Content-Length")
	got.Header.Del("Content-Length")
	require.Equal(t, want.Header, got.Header)
	require.Equal(t, want.Timeless(), got.Timeless())
}
