package shapea

import (
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

// fieldLocations maps the fields of operations to their locations in requests of this
// version.
func fieldLocations() httpio.Fields {
	fields := httpio.Fields{
		domain.FieldTenant:             httpio.Body("/tenantId"),
		domain.FieldSort:               httpio.Query("sort"),
		domain.FieldAuthenticationType: httpio.Body("/type"),
		domain.FieldCertificateRequest: httpio.Body("/certificateSigningRequest"),
		domain.FieldTaskQueue:          httpio.Body("/taskQueue"),

		domain.FieldProcessDefinition:                       httpio.Body("/processDefinition"),
		domain.FieldProcessEntity:                           httpio.Body("/entity/data"),
		domain.FieldNewInitiator.Member(domain.MemberID):    httpio.Body("/principalId"),
		domain.FieldNewInitiator.Member(domain.MemberEmail): httpio.Body("/email"),

		domain.FieldItemDefinition:                      httpio.Body("/taskDefinition"),
		domain.FieldActivityToken:                       httpio.Query("activityToken"),
		domain.FieldNewOwner.Member(domain.MemberID):    httpio.Body("/principalId"),
		domain.FieldNewOwner.Member(domain.MemberEmail): httpio.Body("/email"),

		domain.FieldElements:    httpio.Body("/elementValues"),
		domain.FieldElementCode: httpio.Body("/elementDefinitionCode"),
		domain.FieldElement:     httpio.Query("elementDefinitionCode"),

		domain.FieldDocument:    httpio.Query("documentUri"),
		domain.FieldContentType: httpio.Query("fileContentType"),
		domain.FieldSchemaPath:  httpio.Query("schemaPath"),
	}
	for field, pointer := range map[domain.Field]string{
		domain.FieldProcessInitiator: "/initiator", domain.FieldItemOwner: "/owner",
	} {
		fields[field.Member(domain.MemberID)] = httpio.Body(pointer + "/id")
		fields[field.Member(domain.MemberUserID)] = httpio.Body(pointer + "/user/id")
		fields[field.Member(domain.MemberApplicationID)] = httpio.Body(pointer + "/application/id")
		fields[field.Member(domain.MemberEmail)] = httpio.Body(pointer + "/user/email")
	}
	return fields
}
