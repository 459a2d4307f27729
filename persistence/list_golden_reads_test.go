package persistence_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/persistence/notifications"
	"github.com/procession-dev/procession/persistence/webhooks"
)

type listRead = func(context.Context, *persistence.Reader) error

// Fixed values of the golden files.
var (
	listedID  = uuid.MustParse("01970000-0000-7000-8000-000000000001")
	listedIDs = []uuid.UUID{listedID, uuid.MustParse("01970000-0000-7000-8000-000000000002")}
	listedAt  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	member    = callerOf("01970000-0000-7000-8000-00000000a001")
	memberOf2 = callerOf("01970000-0000-7000-8000-00000000a001", "01970000-0000-7000-8000-00000000a002")
	ofTenant  = persistence.AdministrationScope{Tenants: member.TenantIDs()}
	ofAll     = persistence.AdministrationScope{Everywhere: true}
	// ofOne has a whole tenant and definitions of others, ofSingle definitions only.
	ofOne     = persistence.AdministrationScope{Tenants: member.TenantIDs(), Administrator: listedID, Others: listedIDs}
	ofSingle  = persistence.AdministrationScope{Administrator: listedID, Others: listedIDs}
	firstPage = domain.PageRequest{Size: 25}
	thirdPage = domain.PageRequest{Size: 25, Number: 2}
)

func callerOf(tenants ...string) domain.Caller {
	caller := domain.Caller{PrincipalID: uuid.MustParse("01970000-0000-7000-8000-00000000c001"), Type: domain.PrincipalUser}
	for _, tenant := range tenants {
		caller.Memberships = append(caller.Memberships, domain.Membership{TenantID: uuid.MustParse(tenant)})
	}
	return caller
}

func ascending(property string) []domain.SortKey { return []domain.SortKey{{Property: property}} }

func descending(property string) []domain.SortKey {
	return []domain.SortKey{{Property: property, Descending: true}}
}

func ignoreListing[T any](*domain.Listing[T]) error { return nil }

// listReads contains each list with representative filters, orders and callers, by the name of its golden file.
func listReads() map[string]listRead {
	reads := map[string]listRead{}
	addItemReads(reads)
	addProcessReads(reads)
	addInboxReads(reads)
	addArtifactReads(reads)
	addPeopleReads(reads)
	addAdministrationReads(reads)
	addEventReads(reads)
	return reads
}

func addItemReads(reads map[string]listRead) {
	type itemFilter = persistence.ItemFilter
	items := func(caller domain.Caller, f itemFilter, page domain.PageRequest, sort []domain.SortKey) listRead {
		return func(ctx context.Context, r *persistence.Reader) error {
			_, err := r.ListProcessItems(ctx, caller, f, page, sort)
			return err
		}
	}
	reads["items"] = items(member, itemFilter{}, firstPage, nil)
	reads["items_of_tenants"] = items(memberOf2, itemFilter{}, thirdPage, nil)
	reads["items_by_id"] = items(member, itemFilter{}, firstPage, ascending("id"))
	reads["items_by_change"] = items(member, itemFilter{}, firstPage, descending("lastModifiedAt"))
	reads["items_by_completion"] = items(member, itemFilter{}, thirdPage, descending("completedAt"))
	reads["items_filtered"] = items(member, itemFilter{
		TenantIDs: member.TenantIDs(), Types: []domain.ItemType{domain.ItemTask},
		TaskStates: []domain.TaskState{domain.TaskReady, domain.TaskClaimed}, DefinitionCodes: []string{"T"},
		ProcessDefinitionIDs: listedIDs, ProcessDefinitionCodes: []string{"D"},
	}, firstPage, ascending("claimedAt"))
	reads["items_by_due"] = items(member, itemFilter{}, thirdPage, ascending("dueAt"))
	reads["items_by_priority"] = items(member, itemFilter{TaskPriorities: []domain.TaskPriority{domain.PriorityLow, domain.PriorityNormal}}, firstPage, descending("priority"))
	reads["items_overdue"] = items(member, itemFilter{
		TaskPriorities: []domain.TaskPriority{domain.PriorityHigh}, TaskDueBefore: &listedAt, TaskOverdue: new(true), Now: listedAt,
	}, firstPage, ascending("followUpAt"))
	reads["items_of_process"] = items(member, itemFilter{ProcessIDs: listedIDs[:1], ThreadIDs: listedIDs}, firstPage, nil)
	reads["items_with_deleted"] = items(member, itemFilter{Deleted: domain.IncludeDeleted}, firstPage, nil)
	reads["items_deleted"] = items(member, itemFilter{Deleted: domain.OnlyDeleted}, firstPage, nil)
	reads["items_total"] = items(member, itemFilter{}, domain.PageRequest{}, nil)
	reads["tasks"] = func(ctx context.Context, r *persistence.Reader) error {
		return r.ShowTasks(ctx, member, itemFilter{}, firstPage, nil, ignoreListing)
	}
	reads["process_parts"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListProcessParts(ctx, member, listedID, []domain.ItemType{domain.ItemTask}, firstPage, nil)
		return err
	}
}

func addProcessReads(reads map[string]listRead) {
	type processFilter = persistence.ProcessFilter
	processes := func(caller domain.Caller, f processFilter, sort []domain.SortKey) listRead {
		return func(ctx context.Context, r *persistence.Reader) error {
			_, err := r.ListProcesses(ctx, caller, f, firstPage, sort)
			return err
		}
	}
	reads["processes"] = processes(member, processFilter{}, nil)
	reads["processes_of_tenants"] = processes(memberOf2, processFilter{}, descending("lastModifiedAt"))
	reads["processes_filtered"] = processes(member, processFilter{
		TenantIDs: member.TenantIDs(), DefinitionIDs: listedIDs, DefinitionCodes: []string{"D"}, States: []domain.ProcessState{domain.ProcessRunning},
	}, descending("createdAt"))
	reads["processes_of_initiators"] = processes(member, processFilter{
		InitiatorIDs: listedIDs[:1], InitiatorEmails: []string{"alice@example.com"}, Deleted: domain.OnlyDeleted,
	}, ascending("id"))
	reads["processes_with_deleted"] = processes(member, processFilter{Deleted: domain.IncludeDeleted}, nil)
	reads["processes_by_metadata"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListProcesses(ctx, member, processFilter{Metadata: []string{"amount ge 5", "since between 2026-01-01 2026-01-02"}}, firstPage, nil)
		if invalid := new(domain.Error); errors.As(err, &invalid) && invalid.Kind == domain.KindInvalid {
			return nil
		}
		return fmt.Errorf("members without an index are accepted: %w", err)
	}
	reads["processes_with_elements"] = func(ctx context.Context, r *persistence.Reader) error {
		return r.ShowProcessesWithElements(ctx, member, processFilter{}, thirdPage, nil, ignoreListing)
	}
	board := func(f persistence.BoardFilter, page domain.PageRequest, sort []domain.SortKey) listRead {
		return func(ctx context.Context, r *persistence.Reader) error {
			_, err := r.ListBoard(ctx, member, f, page, sort)
			return err
		}
	}
	reads["board"] = board(persistence.BoardFilter{}, firstPage, nil)
	reads["board_filtered"] = board(persistence.BoardFilter{
		States: []domain.ProcessState{domain.ProcessRunning}, DefinitionID: &listedID, InitiatorID: &listedID,
	}, thirdPage, descending("lastModifiedAt"))
	reads["board_needing_attention"] = board(persistence.BoardFilter{Conditions: []domain.ConditionCode{domain.ConditionFailed, domain.ConditionStuck}}, firstPage, nil)
	reads["board_of_attention"] = board(persistence.BoardFilter{Standing: domain.StandingAttention, Managed: true}, firstPage, nil)
	reads["board_of_engine"] = board(persistence.BoardFilter{Standing: domain.StandingEngine}, firstPage, nil)
	reads["board_by_condition"] = board(persistence.BoardFilter{}, firstPage, []domain.SortKey{
		{Property: "condition"}, {Property: "createdAt", Descending: true},
	})
	reads["board_waiting"] = board(persistence.BoardFilter{Conditions: []domain.ConditionCode{domain.ConditionUnknown}}, firstPage, nil)
	reads["board_by_name"] = board(persistence.BoardFilter{}, firstPage, ascending("initiator"))
	reads["board_search"] = board(persistence.BoardFilter{Search: "50%"}, firstPage, nil)
	reads["board_search_id"] = board(persistence.BoardFilter{Search: listedID.String()}, firstPage, nil)
	reads["board_export"] = func(ctx context.Context, r *persistence.Reader) error {
		return r.EachOfBoard(ctx, member, persistence.BoardFilter{}, 5000, nil, func(*domain.BoardProcess) error { return nil })
	}
	reads["process_actions"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListProcessActions(ctx, member, listedID, firstPage, nil, listedAt)
		return err
	}
	reads["process_documents"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListProcessDocuments(ctx, member, listedID, firstPage, ascending("name"), listedAt)
		return err
	}
}

func addInboxReads(reads map[string]listRead) {
	inbox := func(caller domain.Caller, f persistence.InboxFilter, sort []domain.SortKey) listRead {
		return func(ctx context.Context, r *persistence.Reader) error {
			_, err := r.ReadInbox(ctx, caller, f, firstPage, sort)
			return err
		}
	}
	for _, view := range domain.InboxViews() {
		reads["inbox_"+string(view)] = inbox(member, persistence.InboxFilter{View: view}, nil)
	}
	reads["inbox_of_tenants"] = inbox(memberOf2, persistence.InboxFilter{View: domain.InboxToClaim}, nil)
	reads["inbox_filtered"] = inbox(member, persistence.InboxFilter{View: domain.InboxToClaim, ProcessDefinitionIDs: listedIDs}, ascending("subject"))
	reads["inbox_overdue"] = inbox(member, persistence.InboxFilter{View: domain.InboxToClaim, Overdue: true, Now: listedAt}, ascending("dueAt"))
	reads["inbox_due"] = inbox(member, persistence.InboxFilter{View: domain.InboxAll, DueAfter: &listedAt}, descending("priority"))
	reads["inbox_search"] = inbox(member, persistence.InboxFilter{View: domain.InboxAll, Search: "offer"}, nil)
	for name, view := range map[string]domain.InboxView{"inbox_news": domain.InboxToClaim, "inbox_news_of_all": domain.InboxAll} {
		reads[name] = func(ctx context.Context, r *persistence.Reader) error {
			_, err := r.CountInboxNews(ctx, member, persistence.InboxFilter{View: view}, domain.EventCursor{Era: 1, Transaction: 2, Position: 3}, listedIDs)
			return err
		}
	}
	reads["inbox_tasks"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListInboxTasks(ctx, member, listedIDs)
		return err
	}
	reads["home"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.GetHome(ctx, member, nil, 5, listedAt)
		return err
	}
}

func addArtifactReads(reads map[string]listRead) {
	artifacts := func(f persistence.ArtifactFilter, page domain.PageRequest, sort []domain.SortKey) listRead {
		return func(ctx context.Context, r *persistence.Reader) error {
			_, _, err := r.ListBusinessArtifacts(ctx, member, f, page, sort)
			return err
		}
	}
	reads["artifacts"] = artifacts(persistence.ArtifactFilter{}, firstPage, nil)
	reads["artifacts_filtered"] = artifacts(persistence.ArtifactFilter{
		TenantIDs: member.TenantIDs(), DefinitionIDs: listedIDs[:1], DefinitionCodes: []string{"A", "B"},
	}, thirdPage, descending("lastModifiedAt"))
	reads["artifacts_with_deleted"] = artifacts(persistence.ArtifactFilter{Deleted: domain.IncludeDeleted}, firstPage, nil)
	reads["artifacts_deleted"] = artifacts(persistence.ArtifactFilter{Deleted: domain.OnlyDeleted, Search: listedID.String()}, firstPage, nil)
	reads["artifacts_words"] = artifacts(persistence.ArtifactFilter{Search: "Gold_"}, firstPage, nil)

	tier := filter.Criterion{Field: "tier", Type: filter.String, Operator: filter.Eq, Operands: []string{"GOLD"}}
	balance := filter.Criterion{Field: "balance", Type: filter.Number, Operator: filter.Between, Operands: []string{"1", "2"}}
	name := filter.Criterion{Field: "name", Type: filter.String, Operator: filter.Contains, Operands: []string{"Customer"}}
	since := filter.Criterion{Field: "since", Type: filter.Date, Operator: filter.Le, Operands: []string{"2026-01-02T03:04:05Z"}}
	criteria := func(indexed []uuid.UUID, c ...filter.Criterion) persistence.ArtifactFilter {
		return persistence.ArtifactFilter{Criteria: c, Indexed: indexed}
	}
	reads["search"] = artifacts(criteria(listedIDs[:1], tier), firstPage, nil)
	reads["search_by_change"] = artifacts(criteria(listedIDs[:1], since), thirdPage, descending("lastModifiedAt"))
	reads["search_by_id"] = artifacts(criteria(listedIDs[:1], tier), firstPage, ascending("id"))
	reads["search_of_definitions"] = artifacts(criteria(listedIDs, balance), firstPage, ascending("lastModifiedAt"))
	reads["search_of_fields"] = artifacts(criteria(listedIDs[:1], name, balance, tier), firstPage, nil)
	reads["search_total"] = artifacts(criteria(listedIDs[:1], tier), domain.PageRequest{}, nil)

	board := func(f persistence.ArtifactFilter) listRead {
		return func(ctx context.Context, r *persistence.Reader) error {
			_, _, err := r.ListArtifactBoard(ctx, member, f, firstPage, nil)
			return err
		}
	}
	reads["artifact_board"] = board(persistence.ArtifactFilter{DefinitionIDs: listedIDs[:1]})
	reads["artifact_board_search"] = board(criteria(listedIDs[:1], tier))
	reads["artifact_documents"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListArtifactDocuments(ctx, member, listedID, firstPage, listedAt)
		return err
	}
	reads["artifact_actions"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListArtifactActions(ctx, member, listedID, firstPage, listedAt)
		return err
	}
	reads["artifact_definitions"] = func(ctx context.Context, r *persistence.Reader) error {
		creatable := true
		_, err := r.ListVisibleArtifactDefinitions(ctx, member, persistence.ArtifactDefinitionFilter{
			Codes: []string{"A"}, Creatable: &creatable,
		}, firstPage, descending("name"))
		return err
	}
}

func addPeopleReads(reads map[string]listRead) {
	reads["definitions"] = func(ctx context.Context, r *persistence.Reader) error {
		startable := true
		_, err := r.ListProcessDefinitions(ctx, member, persistence.DefinitionFilter{Startable: &startable, Search: "hire"}, firstPage, nil)
		return err
	}
	reads["principals"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListPrincipals(ctx, member, persistence.PrincipalFilter{
			Type: domain.PrincipalUser, GroupIDs: listedIDs, GroupCodes: []string{"G"}, TenantIDs: member.TenantIDs(), Search: "ali",
		}, firstPage, ascending("name"))
		return err
	}
	reads["groups"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListGroups(ctx, member, persistence.GroupFilter{PrincipalID: &listedID, Codes: []string{"G"}, Search: "it"}, firstPage, nil)
		return err
	}
	reads["tenants"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListTenants(ctx, memberOf2, listedIDs[:1], firstPage, descending("name"))
		return err
	}
	reads["tenant_users"] = func(ctx context.Context, r *persistence.Reader) error {
		return r.ShowTenantUsers(ctx, member, persistence.TenantUserFilter{
			GroupIDs: listedIDs, GroupCodes: []string{"G"}, Emails: []string{"a@example.com"}, TenantIDs: member.TenantIDs(),
		}, firstPage, nil, ignoreListing)
	}
	reads["robots"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListRobots(ctx, persistence.RobotScope{Caller: member}, persistence.RobotFilter{TenantIDs: member.TenantIDs()}, firstPage, nil)
		return err
	}
}

func addAdministrationReads(reads map[string]listRead) {
	codes := []string{"north"}
	reads["workers"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListWorkers(ctx, ofTenant, persistence.WorkerFilter{
			TenantCodes: codes, TaskQueues: []string{"Q"}, States: []domain.WorkerState{domain.WorkerOnline},
		}, listedAt, firstPage, nil)
		return err
	}
	reads["availability_faults"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListAvailabilityFaults(ctx, ofTenant, codes, firstPage)
		return err
	}
	reads["engine_grants"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListEngineGrants(ctx, persistence.EngineGrantScope{Tenants: member.TenantIDs()}, persistence.EngineGrantFilter{
			TenantCodes: codes, PrincipalIDs: listedIDs, ActiveAt: &listedAt, Inactive: true,
		}, firstPage, ascending("expiresAt"))
		return err
	}
	reads["incidents"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListIncidents(ctx, member, ofTenant, persistence.IncidentFilter{
			States: []domain.IncidentState{domain.IncidentOpen}, ProcessIDs: listedIDs, TenantCodes: codes,
			Kinds: []domain.IncidentKind{domain.IncidentActivity, domain.IncidentFailure}, Worker: "build-7", AssigneeID: &listedID,
			Assigned: new(true), Acknowledged: new(false), Muted: new(false), Now: listedAt, After: &listedID,
		}, firstPage, nil)
		return err
	}
	reports := func(scope persistence.AdministrationScope, f persistence.IncidentFilter) listRead {
		return func(ctx context.Context, r *persistence.Reader) error {
			_, err := r.ListIncidentReports(ctx, member, scope, f, firstPage, nil)
			return err
		}
	}
	reads["incident_reports"] = reports(ofAll, persistence.IncidentFilter{States: []domain.IncidentState{domain.IncidentOpen}})
	reads["incident_reports_search"] = reports(ofTenant, persistence.IncidentFilter{Search: "time", TenantCodes: codes})
	reads["incident_groups"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListIncidentGroups(ctx, member, ofTenant, persistence.IncidentFilter{}, 2, 20)
		return err
	}
	reads["incident_groups_of_definitions"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := r.ListIncidentGroups(ctx, member, ofOne, persistence.IncidentFilter{}, 2, 20)
		return err
	}
	reads["incident_reports_of_definitions"] = reports(ofSingle, persistence.IncidentFilter{States: []domain.IncidentState{domain.IncidentOpen}})
	reads["incident_reports_search_id"] = reports(ofTenant, persistence.IncidentFilter{Search: listedID.String()})
	resources := func(scope persistence.AdministrationScope, f persistence.ResourceFilter) listRead {
		return func(ctx context.Context, r *persistence.Reader) error {
			return r.ShowResources(ctx, scope, f, firstPage, nil, ignoreListing)
		}
	}
	reads["resources"] = resources(ofAll, persistence.ResourceFilter{
		Kinds: []resource.Kind{resource.KindGroup}, Tenants: codes, Codes: []string{"G"}, Selector: resource.Selector{"a": "b"}, Search: "it",
	})
	reads["resources_of_holder"] = resources(
		ofOne, persistence.ResourceFilter{Holder: resource.Key{Tenant: "north", Kind: resource.KindGroup, Code: "G"}})
}

func addEventReads(reads map[string]listRead) {
	codes := []string{"north"}
	reads["person_notifications"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := notifications.ListForPerson(ctx, r, member, notifications.Filter{}, firstPage, listedAt)
		return err
	}
	reads["person_notifications_filtered"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := notifications.ListForPerson(ctx, r, memberOf2, notifications.Filter{
			IDs: listedIDs, TenantIDs: member.TenantIDs(), ProcessIDs: listedIDs, Unread: true,
			Kinds: []domain.NotificationKind{domain.NotifyMentioned, domain.NotifyAssigned},
		}, thirdPage, listedAt)
		return err
	}
	reads["webhook_endpoints"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := webhooks.ListEndpoints(ctx, r, ofTenant, webhooks.EndpointFilter{TenantCodes: codes}, firstPage, nil, listedAt)
		return err
	}
	reads["webhook_deliveries"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := webhooks.ListDeliveries(ctx, r, ofTenant, webhooks.DeliveryFilter{
			TenantCodes: codes, SubscriptionCodes: []string{"W"}, ProcessIDs: listedIDs, From: &listedAt, To: &listedAt,
		}, thirdPage, nil)
		return err
	}
	reads["events_of_definitions"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := events.List(ctx, r, ofSingle, events.Filter{}, events.Range{Limit: 50, NewestFirst: true})
		return err
	}
	reads["events"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := events.List(ctx, r, ofTenant, events.Filter{ProcessIDs: listedIDs[:1]}, events.Range{Limit: 50, After: &domain.EventCursor{Era: 1}})
		return err
	}
	reads["events_of_a_rare_type"] = func(ctx context.Context, r *persistence.Reader) error {
		_, err := events.ListRecords(ctx, r, ofAll, events.Filter{
			TenantCodes: codes, Types: []domain.EventType{domain.EventSecretIssued}, ResourceKinds: []domain.EventResource{domain.ResourceSecret},
			ResourceIDs: listedIDs, From: &listedAt, To: &listedAt, Concerning: &listedID, Actor: "ali",
		}, events.Range{Limit: 50, NewestFirst: true})
		return err
	}
}
