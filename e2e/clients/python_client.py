"""Drives the VM API by the Kubernetes project's own client for Python, as its users do.

python_client.py NAMESPACE, with a manifest on standard input, of a VM that runs. Prints what was seen as JSON.
"""

import json
import sys

from kubernetes import client, config, dynamic, watch

namespace = sys.argv[1]
manifest = json.load(sys.stdin)
name = manifest["metadata"]["name"]

config.load_kube_config()
custom = client.CustomObjectsApi()
place = {"group": "kubevirt.io", "version": "v1", "namespace": namespace, "plural": "virtualmachines"}

dry = custom.create_namespaced_custom_object(body=manifest, dry_run="All", **place)
created = custom.create_namespaced_custom_object(body=manifest, **place)


def watched_until(state):
    stream = watch.Watch().stream(
        custom.list_namespaced_custom_object,
        field_selector=f"metadata.name={name}",
        resource_version=created["metadata"]["resourceVersion"],
        timeout_seconds=120,
        **place,
    )
    for event in stream:
        if event["object"].get("status", {}).get("printableStatus") == state:
            return event["type"]
    raise SystemExit(f"{name} was never {state}")


running = watched_until("Running")
patch = [{"op": "add", "path": "/metadata/labels", "value": {"by": "patch"}}]
patched = custom.patch_namespaced_custom_object(
    name=name, body=patch, _content_type="application/json-patch+json", **place
)

discovered = dynamic.DynamicClient(client.ApiClient())
vms = discovered.resources.get(api_version="kubevirt.io/v1", kind="VirtualMachine")
fields = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": name, "labels": {"applied": "yes"}}}
applied = vms.server_side_apply(namespace=namespace, name=name, field_manager="python", body=fields)


def subresource(kind, verb):
    path = f"/apis/subresources.kubevirt.io/v1/namespaces/{namespace}/{kind}/{name}/{verb}"
    try:
        discovered.request("put", path)
        return "done"
    except dynamic.exceptions.DynamicApiError as error:
        return json.loads(error.body)["message"]


answers = [subresource("virtualmachineinstances", "pause")]
# The status follows the guest; before that, a second pause is done like the first.
watched_until("Paused")
answers += [
    subresource("virtualmachineinstances", "pause"),
    subresource("virtualmachineinstances", "unpause"),
    subresource("virtualmachines", "stop"),
]
try:
    custom.create_namespaced_custom_object(body={**manifest, "spec": {}}, **place)
    refused = 201
except client.ApiException as error:
    refused = error.status
custom.delete_namespaced_custom_object(name=name, **place)
print(
    json.dumps(
        {
            "architecture": dry["spec"]["template"]["spec"]["architecture"],
            "running": running,
            "patched": patched["metadata"]["labels"],
            "applied": applied.metadata.labels.to_dict(),
            "answers": answers,
            "refused": refused,
        }
    )
)
