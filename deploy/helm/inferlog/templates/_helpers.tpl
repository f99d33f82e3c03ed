{{- define "inferlog.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "inferlog.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "inferlog.labels" -}}
{{ include "inferlog.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "inferlog.secretName" -}}
{{ .Values.secrets.existingSecret | default (include "inferlog.name" .) }}
{{- end }}

{{- define "inferlog.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "inferlog.name" .) }}
{{- else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "inferlog.check" -}}
{{- if eq .Values.mode "cluster" }}
{{- if and (not .Values.cluster.eventStore) (not .Values.secrets.existingSecret) }}
{{- fail "cluster.eventStore: Expected nats://… in the mode cluster, or EVENT_STORE in secrets.existingSecret" }}
{{- end }}
{{- if not .Values.cluster.blobStore }}
{{- fail "cluster.blobStore: Expected s3://… or file:///… in the mode cluster" }}
{{- end }}
{{- else if not .Values.persistence.enabled }}
{{- fail "persistence.enabled: Expected true in the mode single, where the volume has the log" }}
{{- end }}
{{- end }}
