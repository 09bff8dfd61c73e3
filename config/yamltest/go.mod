module github.com/futoin-go/asyncsteps/config/yamltest

go 1.26.0

require (
	github.com/futoin-go/asyncsteps v0.0.0
	github.com/goccy/go-yaml v1.19.2
	go.yaml.in/yaml/v3 v3.0.6
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.2 // indirect

replace github.com/futoin-go/asyncsteps => ../../
