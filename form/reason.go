package form

// Reason is the reason why a value is edited as JSON.
type Reason string

// The reasons for KindJSON.
const (
	// ReasonLimit stands for a schema, form or value beyond the limits.
	ReasonLimit Reason = "limit"
	// ReasonRoot stands for a whole value that is not an object with members that the schema names.
	ReasonRoot Reason = "root"
	// ReasonValue stands for a value that its control cannot show.
	ReasonValue Reason = "value"
	// ReasonTypes stands for values of several types, ReasonMembers for objects without named members, ReasonElements
	// for arrays of values without a control.
	ReasonTypes    Reason = "types"
	ReasonMembers  Reason = "members"
	ReasonElements Reason = "elements"
)
