package sandbox

// DescribeWeakness returns the sentence of Weakness for another kernel.
func DescribeWeakness(landlockVersion int, filters bool) string {
	return describeWeakness(landlockVersion, filters)
}

// DeniedCalls returns the names of the system calls that tasks are denied.
func DeniedCalls() map[string]bool {
	denied := deniedCalls()
	denied["execve"] = true
	return denied
}
