package shapeb_test

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/test/kit/apitest"
)

// claims returns a process definition with features that the demonstration data lack:
// searchable metadata of every type, data structures, and a task that requires valid data.
// Alice and the loan worker manage its processes, and Bob views them.
func claims(s *apitest.Service) uuid.UUID {
	s.T.Helper()
	id := uuid.New()
	s.Define(
		apitest.Document("demo", "DataStructure", "ADDRESS", `{"name":"Address","schema":{"type":"object",`+
			`"properties":{"CITY":{"type":"string"}},"required":["CITY"]}}`),
		apitest.Document("demo", "DataStructure", "UNUSED", `{"name":"Unused","schema":{"type":"object"}}`),
		apitest.Identified("demo", "ProcessDefinition", "CLAIM", id, `{"name":"Claim","dataStructures":["ADDRESS"],`+
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
