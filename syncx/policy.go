package syncx

type number struct {
	field string
	value int64
}

// belowZero returns what is wrong with the first of the fields that is below zero, or "".
func belowZero(fields ...number) string {
	for _, f := range fields {
		if f.value < 0 {
			return f.field + " is below zero"
		}
	}
	return ""
}
