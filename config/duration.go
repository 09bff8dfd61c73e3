package config

import (
	"encoding/json"
	"strconv"
	"time"
)

// Duration is a time.Duration that is written as text, such as "1.5s" or "2m0s", and read by time.ParseDuration. encoding/json
// reads and writes it, and so do libraries that know encoding.TextMarshaler and encoding.TextUnmarshaler.
type Duration time.Duration

// String returns the text, such as "1m30s".
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. Its error is an [*Error].
func (d *Duration) UnmarshalText(text []byte) error {
	read, err := time.ParseDuration(string(text))
	if err != nil {
		return noDuration(strconv.Quote(string(text)))
	}
	*d = Duration(read)
	return nil
}

// UnmarshalJSON implements json.Unmarshaler. Its error is an [*Error]. A number is refused, because it has no unit.
func (d *Duration) UnmarshalJSON(text []byte) error {
	if string(text) == "null" { // by convention null changes nothing
		return nil
	}
	var read string
	if json.Unmarshal(text, &read) != nil {
		return noDuration(string(text))
	}
	return d.UnmarshalText([]byte(read))
}

func noDuration(value string) error { return &Error{Reason: value + ` is no duration such as "1.5s"`} }
