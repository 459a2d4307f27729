package processiontest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/uuid"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// createQuery asks a data source of the worker, as a form does.
func (s *Service) createQuery(r *http.Request) answer {
	params := decodeBody[rest.DataSourceQueryCreateParams](r)
	input := procession.DataSourceQuery{Code: params.DataSourceCode, PageSize: maxPage}
	if params.Query != nil {
		input.Query = *params.Query
	}
	if params.Filter != nil {
		input.Filter = *params.Filter
	}
	if params.PageNumber != nil {
		input.PageNumber = int(*params.PageNumber)
	}
	if params.PageSize != nil {
		input.PageSize = int(*params.PageSize)
	}
	query := &rest.DataSourceQuery{ID: uuid.New(), DataSourceCode: input.Code, State: rest.DataSourceQueryStatePENDING}
	s.queries[query.ID] = query
	before := *query
	e := s.newEngine()
	e.RegisterWorkflowWithOptions(func(ctx workflow.Context, q procession.DataSourceQuery) (procession.DataSourcePage[json.RawMessage], error) {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: testTimeout})
		return procession.Call[procession.DataSourcePage[json.RawMessage]](ctx, "KuFlow_DataSource_RunQuery", q)
	}, workflow.RegisterOptions{Name: "processiontest.DataSource"})
	s.running.Go(func() {
		e.ExecuteWorkflow("processiontest.DataSource", input)
		var found procession.DataSourcePage[json.RawMessage]
		err := e.GetWorkflowError()
		if err == nil {
			err = e.GetWorkflowResult(&found)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case err != nil:
			s.tb.Logf("data source %s: %v", input.Code, err)
			query.State, query.ErrorCode = rest.DataSourceQueryStateFAILED, new(rest.DataSourceQueryErrorCodeFAILED)
		case found.Error != "":
			query.State, query.ErrorCode, query.ErrorMessage = rest.DataSourceQueryStateFAILED, new(rest.DataSourceQueryErrorCodeREFUSED), &found.Error
		default:
			query.State, query.Page = rest.DataSourceQueryStateCOMPLETED, queryPage(found)
		}
	})
	return answer{http.StatusAccepted, before}
}

func queryPage(found procession.DataSourcePage[json.RawMessage]) *rest.DataSourceQueryPage {
	content := []rest.DataSourceItem{}
	for _, item := range found.Items {
		var properties map[string]any
		if err := json.Unmarshal(item, &properties); err != nil {
			panic(err)
		}
		value := fmt.Sprintf("kuflow-data-source:id=%s;", properties["id"])
		if label, labelled := properties["label"].(string); labelled {
			value += "name=" + url.PathEscape(label) + ";"
		}
		content = append(content, rest.DataSourceItem{Value: &value, Properties: item})
	}
	return &rest.DataSourceQueryPage{Content: content, Metadata: rest.PageMetadata{
		Page: found.PageNumber, Size: found.PageSize, TotalElements: int64(found.TotalElements), TotalPages: found.TotalPages,
	}}
}

func (s *Service) retrieveQuery(r *http.Request) answer {
	query, found := s.queries[uuid.MustParse(r.PathValue("id"))]
	if !found {
		return notFound()
	}
	return okAnswer(query)
}
