package api_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/openapi"
)

// permittedTo returns the permitted callers in the rows of an operation, in the terms of the contract. A column is a
// caller; a stranger is any member of the tenant. An operation without permitted columns is for operators.
func permittedTo(contract, operation string, rows map[string][]string, columns []string) []string {
	// The cells of these are about one of several cases.
	switch operation {
	case "retrieveDataSourceQuery":
		return []string{"REQUESTER"}
	case "downloadBusinessArtifactDocument":
		return []string{"EDITOR", "MANAGER", "VIEWER"}
	}
	names := map[string]string{
		"tenant-owner": "TENANT_OWNER", "administrator": "ADMINISTRATOR", "definer": "DEFINITION_ADMINISTRATOR", "manager": "MANAGER",
		"viewer": "VIEWER", "candidate": "CANDIDATE", "initiator": "INITIATOR", "stranger": "MEMBER",
		"owner": map[bool]string{true: "TENANT_OWNER", false: "TASK_OWNER"}[contract == "admin"],
	}
	switch {
	case operation == "repairProcess" || operation == "findRepairPoints" || operation == "previewRepair":
		// The manager of the matrix is a repairer, too.
		names["manager"] = "REPAIRER"
	case strings.Contains(operation, "BusinessArtifact"):
		names["candidate"] = "EDITOR"
	case strings.Contains(operation, "DataSource"):
		names["candidate"] = "VIEWER"
	}
	var permitted []string
	denied := map[string]bool{}
	for _, cells := range rows {
		for i, column := range columns {
			name, cell := names[column], cells[i]
			switch {
			case name == "":
			case cell[:1] == "2" && cell != "200-" || cell == "409c":
				permitted = append(permitted, name)
			default:
				denied[cell[:3]] = true
			}
		}
	}
	slices.Sort(permitted)
	permitted = slices.Compact(permitted)
	onlyForbidden := len(denied) == 1 && denied["403"]
	switch {
	case slices.Contains(permitted, "MEMBER"):
		return []string{"MEMBER"}
	case slices.Equal(permitted, []string{"TASK_OWNER"}) && onlyForbidden:
		return []string{"WORKER"}
	case len(permitted) == 0:
		return []string{"OPERATOR"}
	}
	return permitted
}

// rowsOf returns the rows of a matrix by the operations that they are of, and its columns.
func rowsOf(matrix, contract string) (rows map[string]map[string][]string, columns []string) {
	others := map[string]string{
		"A.claim_READY": "actionsTaskClaim", "B.claim_READY": "claimProcessItemTask", "apply_GROUP": "applyResources",
		"apply_TENANT": "applyResources", "find_GROUPS": "findResources", "retrieve_GROUP": "retrieveResource",
		"delete_GROUP": "deleteResource", "evaluate_MODEL": "evaluateAvailability",
	}
	rows = map[string]map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(matrix), "\n") {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case columns == nil:
			columns = fields[1:]
		case contract == "admin" || strings.HasPrefix(line, contract+"."):
			base, _, _ := strings.Cut(strings.TrimPrefix(fields[0], contract+"."), "_")
			of := cmp.Or(others[fields[0]], base)
			if rows[of] == nil {
				rows[of] = map[string][]string{}
			}
			rows[of][fields[0]] = fields[1:]
		}
	}
	return rows, columns
}

// Every operation says in x-permitted whom the matrices permit it.
func TestContractsListPermittedCallers(t *testing.T) {
	t.Parallel()
	for contract, document := range map[string]string{"A": openapi.ShapeA, "B": openapi.ShapeB, "admin": openapi.Admin} {
		matrixOf := matrix
		if contract == "admin" {
			matrixOf = adminMatrix
		}
		rows, columns := rowsOf(matrixOf, contract)
		doc, err := openapi.Load(document)
		require.NoError(t, err)
		for _, item := range doc.Paths.Map() {
			for _, op := range item.Operations() {
				require.NotEmpty(t, rows[op.OperationID], "%s has no row", op.OperationID)
				want := permittedTo(contract, op.OperationID, rows[op.OperationID], columns)
				got, err := openapi.Permitted(op)
				require.NoError(t, err)
				require.Equal(t, want, got, "%s: x-permitted: [%s]", op.OperationID, strings.Join(want, ", "))
			}
		}
	}
}
