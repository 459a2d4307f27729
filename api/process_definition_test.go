package api_test

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/devstack/demo"
)

// claims is a process definition with what those of the demonstration data do
// without: members of metadata of every type to be found by, data structures,
// and a task that takes valid data only. Alice and the loan worker manage its
// processes, and Bob views them.
func (s *service) claims() uuid.UUID {
	s.t.Helper()
	id := uuid.New()
	s.define(
		document("demo", "DataStructure", "ADDRESS", `{"name":"Address","schema":{"type":"object",`+
			`"properties":{"CITY":{"type":"string"}},"required":["CITY"]}}`),
		document("demo", "DataStructure", "UNUSED", `{"name":"Unused","schema":{"type":"object"}}`),
		identified("demo", "ProcessDefinition", "CLAIM", id, `{"name":"Claim","dataStructures":["ADDRESS"],`+
			`"engine":{"workflowType":"ClaimWorkflow","taskQueue":"CLAIMS","runner":"loan-worker"},`+
			`"metadataSchema":{"type":"object","properties":{"AMOUNT":{"type":"number"},"NAME":{},"SINCE":{}}},`+
			`"metadataIndexes":[{"field":"AMOUNT","type":"NUMBER"},{"field":"NAME","type":"STRING"},`+
			`{"field":"SINCE","type":"DATE"}],`+
			`"items":[{"code":"CHECK","type":"TASK","name":"Check","requireValidDataOnComplete":true,`+
			`"dataSchema":{"type":"object","properties":{"OK":{"type":"boolean"}},"required":["OK"]},`+
			`"contextDataSchema":{"type":"object","properties":{"AGE":{"type":"integer"}},"requiredOnUpdate":["AGE"]},`+
			`"candidates":[{"application":"loan-worker"},{"user":"alice"}]},`+
			`{"code":"NOTE","type":"MESSAGE","name":"Note"},{"code":"TALK","type":"THREAD","name":"Talk"}],`+
			`"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}],"viewers":[{"user":"bob"}]}}`))
	return id
}

// define applies documents to the tenant of the demonstration data.
func (s *service) define(documents ...string) {
	s.t.Helper()
	s.post(200, demo.Alice(), applyPath, applying("", documents...))
}
