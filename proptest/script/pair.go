package script

import "encoding/json"

// Pair is an element of a map.
type Pair struct {
	Key   string
	Value Value
	index int // place of the key in the order of the map's keys
}

// MarshalJSON writes [key, value].
func (p Pair) MarshalJSON() ([]byte, error) { return json.Marshal([]any{p.Key, p.Value}) }

// UnmarshalJSON reads [key, value]; other JSON is a [*FormatError].
func (p *Pair) UnmarshalJSON(text []byte) error {
	var both []json.RawMessage
	if err := json.Unmarshal(text, &both); err != nil || len(both) != 2 {
		return malformed("an element of a map is [key, value]")
	}
	if err := strict(both[0], &p.Key); err != nil {
		return err
	}
	return strict(both[1], &p.Value)
}
