package site

// Parameter is something that the program has set when it built a step, as text: a limit, a number of tries, the name
// of a guard.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
