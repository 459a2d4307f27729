package scim

import "strings"

// The URIs of schemas and messages (RFC 7643, section 8.7; RFC 7644, section 8.2).
const (
	userSchema     = "urn:ietf:params:scim:schemas:core:2.0:User"
	groupSchema    = "urn:ietf:params:scim:schemas:core:2.0:Group"
	schemaSchema   = "urn:ietf:params:scim:schemas:core:2.0:Schema"
	typeSchema     = "urn:ietf:params:scim:schemas:core:2.0:ResourceType"
	providerSchema = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"
	listMessage    = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
	patchMessage   = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
	errorMessage   = "urn:ietf:params:scim:api:messages:2.0:Error"

	enterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
)

// attribute is the definition of an attribute (RFC 7643, section 7).
type attribute struct {
	Name           string      `json:"name"`
	Type           string      `json:"type"`
	MultiValued    bool        `json:"multiValued"`
	Description    string      `json:"description"`
	Required       bool        `json:"required"`
	CaseExact      bool        `json:"caseExact"`
	Mutability     string      `json:"mutability"`
	Returned       string      `json:"returned"`
	Uniqueness     string      `json:"uniqueness"`
	ReferenceTypes []string    `json:"referenceTypes,omitempty"`
	Values         []string    `json:"canonicalValues,omitempty"`
	Sub            []attribute `json:"subAttributes,omitempty"`
	// hasDefault reports whether a body may lack the attribute although it is required.
	hasDefault bool
}

// The types and mutabilities of attributes.
const (
	typeString    = "string"
	typeBoolean   = "boolean"
	typeComplex   = "complex"
	typeReference = "reference"

	readOnly  = "readOnly"
	readWrite = "readWrite"
	immutable = "immutable"
)

// findAttribute returns the attribute with a name, without regard to case, or nil.
func findAttribute(attributes []attribute, name string) *attribute {
	for i := range attributes {
		if strings.EqualFold(attributes[i].Name, name) {
			return &attributes[i]
		}
	}
	return nil
}

func newAttribute(name, description, mutability string) attribute {
	return attribute{Name: name, Type: typeString, Description: description, Mutability: mutability, Returned: "default", Uniqueness: "none"}
}

func newReference(description, mutability string, types ...string) attribute {
	a := newAttribute("$ref", description, mutability)
	a.Type, a.CaseExact, a.ReferenceTypes = typeReference, true, types
	return a
}

func newComplex(name, description, mutability string, multiValued bool, sub ...attribute) attribute {
	a := newAttribute(name, description, mutability)
	a.Type, a.MultiValued, a.Sub = typeComplex, multiValued, sub
	return a
}

// externalID is common to all resources and not listed in their schemas (RFC 7643, section 3.1).
func externalID() attribute {
	a := newAttribute("externalId", "The identifier of the resource in the directory.", readWrite)
	a.CaseExact = true
	return a
}

// userAttributes returns the attributes of users.
func userAttributes() []attribute {
	userName := newAttribute("userName", "The name of the user in the directory, unique in the tenant.", readWrite)
	userName.Required, userName.Uniqueness = true, "server"
	active := newAttribute("active", "Whether the user may work in the tenant.", readWrite)
	active.Type, active.Required, active.hasDefault = typeBoolean, true, true
	primary := newAttribute("primary", "Whether it is the address of the user. A user has one.", immutable)
	primary.Type = typeBoolean
	kind := newAttribute("type", "The kind of the address.", immutable)
	kind.Values = []string{"work"}
	address := newAttribute("value", "The address.", immutable)
	address.Required = true
	emails := newComplex("emails", "The address that the user signs in with. Without one it is the userName. It says who the user is, and cannot be changed.",
		immutable, true, address, kind, primary)
	emails.Required, emails.hasDefault = true, true
	return []attribute{
		userName,
		newComplex("name", "The parts of the user's name.", readWrite, false,
			newAttribute("formatted", "The full name.", readWrite), newAttribute("familyName", "The family name.", readWrite), newAttribute("givenName", "The given name.", readWrite)),
		newAttribute("displayName", "The name that people see. Without one it is made of name, or is the userName.", readWrite),
		active, emails,
		newComplex("groups", "The groups of the user.", readOnly, true,
			newAttribute("value", "The id of the group.", readOnly), newReference("The address of the group.", readOnly, "Group"),
			newAttribute("display", "The name of the group.", readOnly)),
	}
}

// groupAttributes returns the attributes of groups.
func groupAttributes() []attribute {
	name := newAttribute("displayName", "The name of the group, unique in the tenant.", readWrite)
	name.Required, name.Uniqueness = true, "server"
	kind := newAttribute("type", "The kind of the member.", immutable)
	kind.Values = []string{"User"}
	return []attribute{
		name,
		newComplex("members", "The users of the group. Applications are members by the manifest, and not listed.", readWrite, true,
			newAttribute("value", "The id of the user.", immutable), newReference("The address of the user.", immutable, "User"), kind),
	}
}

// isForeign reports whether an attribute is one of RFC 7643 that this service does not offer. Clients may write it without effect.
func isForeign(uri, name string) bool {
	if strings.EqualFold(uri, enterpriseSchema) || strings.EqualFold(name, enterpriseSchema) {
		return true
	}
	switch strings.ToLower(name) {
	case "nickname", "profileurl", "title", "usertype", "preferredlanguage", "locale", "timezone", "password", "phonenumbers", "ims",
		"photos", "addresses", "entitlements", "roles", "x509certificates", "middlename", "honorificprefix", "honorificsuffix":
		return true
	}
	return false
}
