package syncx

type number struct {
	field string
	value int64
}

func belowZero(fields ...number) string {
	for _, f := range fields {
		if f.value < 0 {
			return f.field + " is below zero"
		}
	}
	return ""
}
