module github.com/futoin-go/asyncsteps/examples/agent

go 1.26.0

require (
	github.com/futoin-go/asyncsteps v0.0.0
	github.com/futoin-go/asyncsteps/durable v0.0.0
	github.com/futoin-go/asyncsteps/durable/sqlite v0.0.0
	github.com/modelcontextprotocol/go-sdk v1.8.0
)

require (
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/robfig/cron/v3 v3.0.1 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
	modernc.org/sqlite v1.62.0 // indirect
)

replace (
	github.com/futoin-go/asyncsteps => ../..
	github.com/futoin-go/asyncsteps/durable => ../../durable
	github.com/futoin-go/asyncsteps/durable/sqlite => ../../durable/sqlite
)
