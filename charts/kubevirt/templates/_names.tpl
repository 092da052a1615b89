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

{{/*
When virt-api need not be asked, because it would say yes: it puts back what others write to a VMI's status, and checks what
virt-controller makes of a VMI's spec. KubeVirt writes each VMI several times, so this saves most calls.
*/}}
{{- define "kubevirt.changedByOthers" -}}
- name: new-or-changed-by-others
  expression: >-
    request.operation == 'CREATE' || !(request.userInfo.username in [
    'system:serviceaccount:{{ .Release.Namespace }}:kubevirt-controller',
    'system:serviceaccount:{{ .Release.Namespace }}:kubevirt-handler'])
{{- end }}

{{- define "kubevirt.specOrOthers" -}}
- name: spec-changed-or-by-others
  expression: >-
    request.userInfo.username != 'system:serviceaccount:{{ .Release.Namespace }}:kubevirt-controller' ||
    object.spec != oldObject.spec
{{- end }}

{{- /*
A VM's webhooks look at its spec. They need not look at one that stays as it is, nor at virt-api's own switching of a VM
on and off, which is decided there already; while a snapshot or restore is under way they say whether that may be.
*/}}
{{- define "kubevirt.newSpec" -}}
- name: new-or-other-spec
  expression: >-
    request.operation == 'CREATE' || (object.spec != oldObject.spec && !(
    request.userInfo.username == 'system:serviceaccount:{{ .Release.Namespace }}:kubevirt-apiserver' &&
    object.spec.template == oldObject.spec.template && (!has(object.status) ||
    !(has(object.status.snapshotInProgress) || has(object.status.restoreInProgress)))))
{{- end }}
