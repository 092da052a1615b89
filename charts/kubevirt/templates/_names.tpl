{{/* image NAME: the full reference of one of the product's images. */}}
{{- define "kubevirt.image" -}}
{{ .root.Values.registry }}/{{ .name }}:{{ .root.Values.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* Labels of every object. */}}
{{- define "kubevirt.labels" -}}
app.kubernetes.io/name: kubevirt
app.kubernetes.io/part-of: kubevirt
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* What every component's pod carries. */}}
{{- define "kubevirt.podLabels" -}}
kubevirt.io: {{ . }}
prometheus.kubevirt.io: "true"
np.kubevirt.io/allow-access-cluster-services: "true"
{{- end }}

{{- define "kubevirt.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* A pod that needs no right at all. */}}
{{- define "kubevirt.restrictedContainer" -}}
allowPrivilegeEscalation: false
capabilities: { drop: [ALL] }
readOnlyRootFilesystem: true
{{- end }}

{{- define "kubevirt.restrictedPod" -}}
runAsNonRoot: true
runAsUser: 1001
runAsGroup: 1001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Prefer nodes that do not hold another replica. */}}
{{- define "kubevirt.spread" -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 1
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector: { matchLabels: { kubevirt.io: {{ . }} } }
{{- end }}
