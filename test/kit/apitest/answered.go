package apitest

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// mergedAnswers returns the answers that the tests in package api cover in place of the tests of a
// shape, by contract. A name stands for all names that begin with it.
func mergedAnswers(contract string) []string {
	return map[string][]string{
		"A": {
			"Robot", "AuditedObjectType=ROBOT", "PagedObjectType=ROBOT_PAGE", "findRobots", "retrieveRobot", "actionsRobot",
			"ErrorCode=ACCESS_DENIED", "ErrorCode=CONFLICT", "ErrorCode=FOUR_EYES", "ErrorCode=RATE_LIMITED", "ErrorCode=TASK_ALREADY_CLAIMED",
			"ErrorCode=TASK_NOT_OWNED", "ErrorCode=UNAUTHENTICATED", "DefaultErrorInfo.locationType=path",
			"Process.state=CANCELLED", "ProcessState=", "Task.state=CANCELLED", "Worker.activityTypes",
			"actionsProcessCancel 200", "actionsProcessChangeInitiator 200", "actionsTaskAssign 200", "actionsTaskClaim 200",
			"actionsTaskDownloadElementValueRendered 200",
		},
		"B": {
			"Robot", "findRobots", "retrieveRobot", "downloadRobot", "createWorker 200", "ErrorCode=FOUR_EYES", "ErrorCode=UNAUTHENTICATED",
			"DefaultErrorInfo.locationType=path", "ElementDefinition.fieldType=STRING", "ElementDefinition.schema",
			"ElementDefinition.type=DOCUMENT", "ElementDefinition.type=FORM",
		},
	}[contract]
}

// MainOfShape runs the tests of a shape as Main does. After a whole run that
// passed, it also requires that answers had every member and every value of an enum
// that the contract documents, and every status of success. Answers that the tests of
// package api cover and the exceptions, by reason, are not required.
func MainOfShape(m *testing.M, contract string, exceptions map[string][]string) int {
	excepted := mergedAnswers(contract)
	for _, names := range exceptions {
		excepted = append(excepted, names...)
	}
	return mainAnswered(m, func() bool {
		return missingAnswers(contract, func(name string) bool {
			return !strings.HasSuffix(name, " default") && !coversAnswers(excepted, name)
		})
	})
}

// MainAcross runs the tests of package api as Main does, and requires, after
// a whole run, every default answer and every successful answer of the
// administration API.
func MainAcross(m *testing.M) int {
	return mainAnswered(m, func() bool {
		answered := true
		for contract := range Contracts {
			answered = missingAnswers(contract, func(name string) bool {
				_, status, isStatus := strings.Cut(name, " ")
				return status == "default" || contract == "admin" && isStatus || coversAnswers(mergedAnswers(contract), name)
			}) && answered
		}
		return answered
	})
}

func mainAnswered(m *testing.M, answered func() bool) int {
	code := Main(m)
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return code
		}
	}
	if code == 0 && !answered() {
		return 1
	}
	return code
}

func coversAnswers(names []string, name string) bool {
	return slices.ContainsFunc(names, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// missingAnswers reports whether the answers had all wanted members and values of a contract, and
// lists the others.
func missingAnswers(contract string, include func(name string) bool) bool {
	missing := Contracts[contract].MissingMembers()
	for _, pair := range Contracts[contract].Missing() {
		missing = append(missing, pair.String())
	}
	found := true
	for _, name := range missing {
		if _, status, isStatus := strings.Cut(name, " "); isStatus && status != "default" && status[0] != '2' || !include(name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s documents, but no answer had: %s\n", contract, name)
		found = false
	}
	return found
}
