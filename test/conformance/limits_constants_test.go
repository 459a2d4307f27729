package conformance

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A limit is a constant that bounds the input of callers, as docs/limits.md shows it.
type limit struct {
	constant, text, unit string
	beyond               string
}

// limits lists the constants that bound inputs, in the order of the document.
func limits() []limit { //nolint:funlen // a table
	const characters, bytes, rejected, cut, later = "characters", "bytes", "400", "the rest is cut", "the next save checks the rest"
	const costly = "400 `PATCH_TOO_COSTLY`"
	return []limit{
		{"domain/jsontext.MaxDepth", "nesting of JSON", "", rejected},
		{"domain/jsontext.maxNumber", "length of a compared or indexed number", characters, "not valid"},
		{"domain/jsontext.maxExponent", "exponent of such a number, in both directions", "", "not valid"},
		{"api/httpio.maxEmailLength", "e-mail address", bytes, rejected},
		{"blobstore.maxFileName", "name of a file", bytes, "shortened"},
		{"blobstore.maxContentType", "content type of a file", bytes, rejected},
		{"authn.maxToken", "access token in a header", bytes, "401"},
		{"api/httpio.maxRequestIDLength", "`X-Request-Id`", characters, "replaced"},
		{"app.maxMessageText", "text of a message", characters, rejected},
		{"domain/commonmark.maxFormatted", "text of a message that is formatted and mentions people", bytes, "shown as written"},
		{"domain/commonmark.maxNesting", "quotations and lists in each other in a message", "", "shown as written"},
		{"domain/commonmark.MaxMentions", "people that a message mentions", "", "further ones stay text"},
		{"domain/commonmark.MaxProcessLinks", "processes that the messages of a page link to", "", "further ones are shown as addresses"},
		{"app.maxElementValues", "values of an element", "", rejected},
		{"domain.MaxLogMessage", "message of a log entry", characters, cut},
		{"domain.MaxDelegationNote", "note of a delegation", characters, rejected},
		{"domain.MaxMovedItems", "items of a process that moves to another version", "", "409"},
		{"domain.MaxRepairReason", "reason of a repair", characters, rejected},
		{"domain.MaxBulkSelection", "resources of a bulk operation", "", rejected},
		{"domain.MaxBulkIDs", "ids in the filter of a bulk operation", "", rejected},
		{"domain.MaxBulkRunning", "bulk operations of a tenant at the same time", "", "later ones wait"},
		{"persistence.maxPreviews", "previews of bulk operations of a person", "", "the oldest go"},
		{"app/administration.maxOwnAbsences", "absences that a user without a role of administrators plans", "", "409"},
		{"domain.maxSubject", "subject of a process from its template", characters, cut},
		{"domain/filter.maxOperands", "values of an expression of `value` and `metadata`", "", rejected},
		{"domain/jsondoc.maxOperations", "operations of a JSON Patch", "", rejected},
		{"domain/jsondoc.maxCopied", "bytes added by the copies of a JSON Patch", bytes, costly},
		{"domain/jsondoc.MaxPatchWork", "moved elements and compared bytes of a JSON Patch", "", costly},
		{"domain/jsondoc.maxSchema", "schema of a definition", bytes, rejected},
		{"domain/jsondoc.maxSchemaDepth", "nesting of a schema", "", rejected},
		{"domain/jsondoc.maxSchemaNodes", "objects and arrays of a schema", "", rejected},
		{"domain/jsondoc.maxExpanded", "subschemas of a schema with its references replaced", "", rejected},
		{"domain/jsondoc.maxChain", "subschemas in a row for one value", "", rejected},
		{"domain/jsondoc.maxDynamicAnchors", "dynamic anchors of a schema", "", rejected},
		{"domain/jsondoc.maxPattern", "compiled `pattern` of a schema, in instructions", "", rejected},
		{"domain/jsondoc.maxPatterns", "all patterns of a schema, in instructions", "", rejected},
		{"domain/jsondoc.maxLocation", "location of a subschema", bytes, rejected},
		{"domain/jsondoc.MaxWork", "work of one validation, in [units](#work)", "", rejected},
		{"domain/jsondoc.MaxRegex", "text with the format `regex`", bytes, "not valid"},
		{"domain/jsondoc.maxDurationUnits", "units of a text with the format `duration`", "", "not valid"},
		{"domain/jsondoc.maxPaths", "JSON Pointers of all values of a document", bytes, rejected},
		{"domain/jsondoc.maxViolations", "stored violations of a value", "", cut},
		{"domain.MaxItemReferences", "references to items of data sources in a value", "", rejected},
		{"domain.maxItemsAsked", "references checked by workers per save", "", later},
		{"domain.maxItemText", "checked reference", bytes, "not valid"},
		{"domain.maxItemTexts", "checked references per save, together", bytes, later},
		{"domain.MaxDataSourceRequest", "query of a data source", bytes, rejected},
		{"domain.MaxDataSourcePage", "items of a page of a data source", "", rejected},
		{"domain.MaxDataSourceQueries", "waiting queries of a principal", "", "409"},
		{"domain/availability.MaxLength", "availability expression", characters, rejected},
		{"domain/availability.maxTokens", "tokens of an availability expression", "", rejected},
		{"domain/availability.maxNesting", "nesting of an availability expression", "", rejected},
		{"domain/availability.maxDigits", "digits of a number in an availability expression", "", rejected},
		{"domain/availability.maxPattern", "pattern of `test` in an availability expression", characters, rejected},
		{"domain/deadline.maxRule", "rule for a due date or a priority", characters, rejected},
		{"domain/deadline.maxParts", "parts of such an expression", "", rejected},
		{"domain/deadline.maxInsertions", "values that its texts insert", "", rejected},
		{"domain/deadline.maxYears", "duration of such a rule, in years", "", rejected},
		{"domain/deadline.maxDays", "days that the working time of a due date spreads over", "", "no due date"},
		{"internal/holidays.maxFile", "iCalendar file of an import", bytes, "refused"},
		{"internal/holidays.maxEvents", "events of such a file", "", "refused"},
		{"internal/holidays.maxDays", "whole days of such a file", "", "refused"},
		{"internal/holidays.maxSpan", "days of an event of such a file, without its recurrences", "", cut},
		{"internal/holidays.maxName", "name of a holiday from such a file", characters, cut},
		{"domain/resource.maxDocuments", "manifests of one `apply`", "", rejected},
		{"domain/resource.maxDocument", "manifest, as JSON", bytes, rejected},
		{"api/admin.BodyLimit", "body of a request of administrators", bytes, "413"},
		{"internal/manifest.maxFile", "input file of the command line", bytes, "refused"},
		{"internal/manifest.maxNodes", "elements of a manifest once aliases are replaced", "", "refused"},
		{"internal/manifest.maxText", "text of a manifest once aliases are replaced", bytes, "refused"},
		{"events/webhook.maxURLLength", "address of a webhook", bytes, rejected},
		{"domain.MaxHandedOver", "tasks, processes and incidents of a person that one change hands over, each", "", "409"},
		{"app/administration.MaxReason", "reason of a change of a resource", characters, rejected},
		{"app/administration.maxSecretName", "name of a secret", characters, rejected},
		{"domain.MaxActiveSecrets", "active secrets of an application or a webhook", "", "409"},
		{"domain.MaxAccessTokens", "personal access tokens of a user", "", "409"},
		{"domain.MaxDirectoryTokens", "active tokens of the directories of a tenant", "", "409"},
		{"api/scim.MaxBody", "body of a directory's request", bytes, "413"},
		{"api/scim.maxPage", "users or groups on a page of a directory's list", "", "the next page has the rest"},
		{"api/scim.maxFilter", "filter of a directory's list", bytes, rejected},
		{"api/scim.maxFilterTerms", "comparisons in such a filter", "", rejected},
		{"api/scim.maxFilterDepth", "nesting of such a filter", "", rejected},
		{"api/scim.maxPatchOperations", "operations of a directory's PATCH", "", rejected},
		{"api/scim.maxPath", "path of such an operation", bytes, rejected},
		{"api/scim.maxValues", "values of an attribute, such as members of a group", "", rejected},
		{"api/scim.maxText", "text of an attribute of a directory", characters, rejected},
		{"domain.MaxQueueNamesSize", "names of the task queues of an application, in its token", bytes, "409"},
		{"app.maxWorkers", "online workers of an application", "", "409"},
		{"app/administration.maxCloudName", "name of a tenant's namespace in Temporal Cloud, without the account", characters, rejected},
		{"app/administration.MaxRobotVariables", "variables of a robot", "", "409"},
		{"app/administration.maxRobotVariable", "value of a variable", characters, rejected},
		{"app/administration.maxRobotVariableName", "name of a variable", characters, rejected},
		{"app/administration.MaxRobotAssets", "assets of a robot", "", "409"},
		{"domain.maxExtras", "extras of a process", bytes, rejected},
		{"domain.maxAssetVersion", "version of an asset", characters, rejected},
		{"app/administration.maxRightRows", "rows of an export of rights", "", rejected},
		{"app/administration.MaxReplayed", "replayed webhook deliveries per request", "", "the answer has the next position"},
		{"form.maxNewRows", "rows added to a table of a form at once", "", rejected},
		{"form/pdfworker.MaxForms", "forms of one ZIP", "", "409"},
		{"app.maxPrintedTasks", "tasks on the PDF of a process", "", "left out"},
		{"app.maxExportedItems", "items of an exported process", "", "409"},
		{"app.maxExportedDocuments", "documents of an exported process", "", "409"},
		{"app.maxExportedBytes", "documents of an exported process, together", bytes, "409"},
		{"app.maxExportedForms", "forms as PDF of an exported process", "", "the values only"},
		{"app.maxExportedEvents", "events of an exported process", "", "the manifest says so"},
		{"form/pdfworker.MaxSize", "form as PDF, or ZIP", bytes, "409"},
		{"authn.maxRSABits", "RSA key of a certificate signing request, in bits", "", rejected},
		{"console/web.maxVisitorForm", "form of a visitor without a session", bytes, "413"},
		{"console/web.maxLocalPath", "path to return to after a sign-in", bytes, "the start page"},
		{"console/web.maxForm", "form of the console without files", bytes, "413"},
		{"console/forms.maxPost", "task form of the console without files", bytes, "413"},
		{"console/forms.maxInputs", "inputs of a task form of the console", "", rejected},
		{"domain/translation.MaxSize", "translations of a manifest", bytes, rejected},
		{"domain/translation.MaxLanguages", "languages of the translations of a definition", "", rejected},
		{"console/start.maxSubject", "subject of a process in the console", characters, rejected},
	}
}

// others returns why constants of a package, or single ones, are not limits of input.
func others() map[string]string {
	reasons := map[string]string{}
	for reason, names := range map[string]string{
		"bounds work or memory": `events/feed.maxSubjects console/ui.MaxPageSize domain/availability.maxSteps domain/availability.maxBits domain/availability.maxPatternSize
			domain/filter.maxNumber domain/filter.maxExponent domain.maxInspectionPause domain.InboxCountLimit domain.AttentionLimit domain.NotificationBellLimit domain.MaxDataSourceResults
			domain/jsondoc.maxExponentDigits domain/jsondoc.maxLibraryWork domain/jsondoc.maxIdle
			domain/jsondoc.maxCachedSource domain/jsondoc.maxParts domain/jsondoc.maxBranches domain/jsondoc.maxPlaces domain/jsondoc.maxLimited
			domain/availability.maxRune domain/availability.maxName domain/availability.maxShape app.maxPause app.maxRepeats app.maxSeen app.maxDefinitions app.maxCachedKeys
			app.maxEnvironmentReads app.feedLimit api/limit authn.maxCallers authn.maxDirectories api/scim.maxStart app/administration.maxDirectoryPage app/administration.maxDirectoryLinks persistence engine/cloud engine/completions engine/relay events/audit form/pdfworker.maxWaiting
			domain/pattern domain/translation.maxCachedSource domain/translation.maxReaderLanguages domain/resource.maxMessageDepth
			domain/jsondoc.maxTextDepth domain/jsondoc.maxTextParts domain/jsondoc.maxTextPlaces domain/jsondoc.maxTextRepeats domain/jsondoc.maxHostText api/httpio.maxRanges form/locale form/pdfworker.maxFrame form/pdfworker.maxJob form/textlayer app/administration.maxHeld app/bulk.dispatchLimit app/administration.maxIncidentGroups app/administration.maxIncidentComment domain.MaxIncidentMute app/administration.maxUnowned persistence.maxWaiting console/people.maxSuccessors console/people.maxWorkShown console/start.maxSorted console/forms.maxAttempts api/httpio.drainLimit api/httpio.thoroughLimit api/httpio.maxHops`,
		"bounds an answer": `domain/filter.maxShown domain/resource.maxViolations api/httpio.maxPointerToken api/httpio.maxIgnored
			api/httpio.maxIgnoredName api/httpio.maxViolations app/administration.maxNeedsReported app/administration/review.maxFormWarnings`,
		"is a setting or the bound of one": `app.DefaultTaskLogLimit api/httpio.DefaultBodyLimit app/administration.MaxAccessTokenLifetime
			authn.MaxCertificateLifetime authn.MaxPublishDelay authn.MaxClockSkew authn.MaxOperatorAccess authn.maxIssuer authn.maxClaimName authn.maxProofAge`,
		"bounds what identity providers, models, workers and receivers send": ` authn.maxNumericDate
			authn.maxSubject authn.maxEmail authn.maxClaimValues authn.maxClaimValue domain/resource.MaxClaimedGroups app/administration.maxPersonName authn.maxCredentialFile engine events/webhook.MaxAnswer events/webhook.maxRetryAfter events/webhook.maxAnswerHeader
			events/webhook.maxSecretLength app.maxDataSourceMessage domain.maxRetryAfter domain.maxHold`,
		"bounds a run of AI assistance": `app.maxAssistedDocuments app.maxPassages app.maxExcerpts app.maxQuery`,
		"follows from another limit":    `authn.maxHeader blobstore.maxExtension`,
		"bounds what is stored of it":   `authn.maxSessions authn.maxUserAgent console/signin.maxAttempt`,
		"is the layout of a form or a page": `form/pdf form console/artifacts console/audit console/processes console/definitions
			console/people console/forms`,
	} {
		for _, name := range strings.Fields(names) {
			reasons[name] = reason
		}
	}
	return reasons
}

// Every constant that is named as a limit is documented, or is no limit of input.
func TestEveryLimitOfTheCodeIsClassified(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	for _, l := range limits() {
		documented[l.constant] = true
	}
	reasons, used := others(), map[string]bool{}
	for name := range constants(t) {
		folder, _, _ := strings.Cut(name, ".")
		if documented[name] {
			continue
		}
		require.True(t, reasons[name] != "" || reasons[folder] != "",
			"%s is neither a limit of docs/limits.md nor among the others: add it to one of the lists", name)
		used[name], used[folder] = true, true
	}
	for name := range reasons {
		require.True(t, used[name], "there is no constant %s", name)
	}
}

// constants returns the constants that are named as limits, with their expressions.
func constants(t *testing.T) map[string]ast.Expr {
	t.Helper()
	named := regexp.MustCompile(`^[mM]ax[A-Z]|^[A-Za-z]+Limit$`)
	found := map[string]ast.Expr{}
	for _, root := range []string{
		"domain", "app", "api", "authn", "blobstore", "events", "internal/holidays", "internal/manifest", "form", "engine", "console", "persistence",
	} {
		require.NoError(t, filepath.WalkDir(filepath.Join("../..", root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), filepath.FromSlash("../../")))
			for _, decl := range file.Decls {
				group, ok := decl.(*ast.GenDecl)
				if !ok || group.Tok != token.CONST {
					continue
				}
				for _, spec := range group.Specs {
					values, ok := spec.(*ast.ValueSpec)
					if !ok {
						continue
					}
					for i := range values.Values {
						if name := values.Names[i].Name; named.MatchString(name) {
							found[folder+"."+name] = values.Values[i]
						}
					}
				}
			}
			return nil
		}))
	}
	return found
}

// limitRows returns the table of the limits of the code, with the values that the constants have.
func limitRows(t *testing.T) []string {
	t.Helper()
	found := constants(t)
	rows := []string{"| limit | | beyond |", "|---|---|---|"}
	for _, l := range limits() {
		require.NotNil(t, found[l.constant], "there is no constant %s", l.constant)
		value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(found[l.constant]))
		require.NoError(t, err, l.constant)
		n, exact := constant.Int64Val(constant.ToInt(value.Value))
		require.True(t, exact, l.constant)
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |", l.text, quantity(n, l.unit), l.beyond))
	}
	return rows
}

// quantity writes a number with its unit, as the document does.
func quantity(n int64, unit string) string {
	if unit == "bytes" {
		for shift, name := range []string{"bytes", "KiB", "MiB", "GiB"} {
			if size := int64(1) << (10 * shift); n%(size<<10) != 0 || shift == 3 {
				return groupDigits(n/size) + " " + name
			}
		}
	}
	return strings.TrimSpace(groupDigits(n) + " " + unit)
}

func groupDigits(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var parts []string
	for len(digits) > 3 {
		parts = append(parts, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	slices.Reverse(parts)
	return strings.Join(append([]string{digits}, parts...), ",")
}
