package conformance_test

import (
	"strconv"
	"strings"
)

// subjectsOf maps every section of the specification to the fields and the
// operations that it has; sections without any say something all the same.
// Fields of one shape only begin with "A." or "B.", those of a body that
// creates with "create.".
func subjectsOf() map[string][]string {
	all := map[string][]string{}
	for section, subjects := range map[string]string{
		"1":   "",
		"2.1": "createdBy createdAt lastModifiedBy lastModifiedAt A.objectType",
		"2.2": "metadata.size metadata.page metadata.totalElements metadata.totalPages content",
		"2.3": "id type name user.id user.email application.id",
		"2.4": "id name plan",
		"2.5": "A.id A.metadata.valid A.metadata.value A.principal A.tenantId B.id B.metadata.valid B.metadata.value " +
			"B.metadata.errors.propertyPath B.metadata.errors.type B.principal B.tenantId B.principalId",
		"2.6": "valid value errors.propertyPath errors.type A.valid A.data",
		"2.7": "A.id A.subject A.state A.processDefinition.id A.processDefinition.version A.processDefinition.name A.elementValues " +
			"A.entity A.initiator A.relatedProcess.incoming A.relatedProcess.outcoming A.tenantId " +
			"B.id B.state B.processDefinitionRef.id B.processDefinitionRef.version B.processDefinitionRef.code B.metadata B.entity " +
			"B.processRelated.incoming B.processRelated.outcoming B.initiatorId B.tenantId",
		"2.8": "valid type value STRING NUMBER OBJECT DOCUMENT PRINCIPAL",
		"2.9": "id state taskDefinition.id taskDefinition.version taskDefinition.code taskDefinition.name processId elementValues " +
			"jsonFormsValue logs owner tenantId logs.id logs.createdAt logs.message logs.level",
		"2.10": "id type processId ownerId tenantId processItemDefinitionRef.id processItemDefinitionRef.version " +
			"processItemDefinitionRef.code task.state task.data task.contextData task.logs.id task.logs.timestamp task.logs.message " +
			"task.logs.level message.text message.data message.dataStructureDataDefinitionCode create.id create.type create.processId " +
			"create.ownerId create.ownerEmail create.processItemDefinitionCode create.task.data create.task.contextData " +
			"create.message.text create.message.data create.message.dataStructureDataDefinitionCode",
		"2.11": "requestId state embeddingPending embeddingProcessing retryAfterSeconds model finishReason errorCode errorMessage " +
			"startedAt finishedAt",
		"2.12": "Code Name Type AvailabilityExpression Permission Downloadable StartRelatedProcess StartWorkflow CreateTask",
		"2.13": "process.state process.createdAt process.lastModifiedAt tasks tasks.state tasks.createdAt tasks.lastModifiedAt",
		"2.14": "Initiator Viewer Manager",
		"2.15": "id tenantId businessArtifactDefinitionRef.id businessArtifactDefinitionRef.code data create.id " +
			"create.businessArtifactDefinitionId create.tenantId create.businessArtifactDefinitionCode create.data",
		"2.16": "id type status businessArtifactActionDefinitionRef.id businessArtifactActionDefinitionRef.code startWorkflow.input " +
			"startProcess.processDefinitionId startProcess.processId downloadable.input downloadable.documentUri " +
			"downloadable.documentExpired createArtifact.businessArtifactDefinitionRef.id " +
			"createArtifact.businessArtifactDefinitionRef.code createArtifact.businessArtifactId createArtifact.value create.id " +
			"create.businessArtifactActionDefinitionCode create.startWorkflow.input create.downloadable.input " +
			"create.startProcess.metadata create.createArtifact.value",
		"2.17": "id identity taskQueue workflowTypes activityTypes hostname ip installationId robotIds tenantId",
		"2.18": "id code name description sourceType sourceFile.id sourceFile.name sourceFile.contentType sourceFile.contentLength " +
			"sourceFile.contentHash environmentVariables tenantId RobotFilterContext RobotAssetType RobotAssetPlatform " +
			"RobotAssetArchitecture",
		"2.19": "id type tenantId A.token A.expiredAt engineToken.token engineToken.expiredAt engineCertificate.namespace " +
			"engineCertificate.tls.serverRootCaCertificate engineCertificate.tls.clientCertificate " +
			"engineCertificate.tls.clientPrivateKey",
		"2.20": "op from path value",
		"2.21": "A.value B.documentUri",
		"3.1":  "Process Task Action Assistance",
		"3.2":  "",
		"3.3":  "",
		"4":    "",
		"4.1":  "size page sort id tenantId",
		"4.2":  numbered("A", 39),
		"4.3":  numbered("B", 52),
		"5":    "",
		"6":    "id version type timestamp data.processId data.processState PROCESS.STATE_CHANGED PROCESS.CREATED",
		"7":    "timestamp status message errors.code errors.message errors.location errors.locationType",
		"8":    "",
		"9":    "",
	} {
		all[section] = strings.Fields(subjects)
	}
	return all
}

// numbered returns the operations of a shape: A1 A2 and so on.
func numbered(shape string, last int) string {
	var names []string
	for i := range last {
		names = append(names, shape+strconv.Itoa(i+1))
	}
	return strings.Join(names, " ")
}
