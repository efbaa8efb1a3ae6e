"""The manifests for Kubernetes: they fit our schemas, each other, and the server. No cluster is
asked."""

from __future__ import annotations

import ipaddress
import re
import shutil
import subprocess
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest

from metasearch.adapters.specs.registry import Registry
from metasearch.server.cookies import load_key
from tests.cases import each
from tests.deploy.configuration import KUBERNETES_ENV, loaded
from tests.deploy.files import DEPLOY, METASEARCH, VALKEY, cpu, documents, final, size
from tests.deploy.schemas import KUBERNETES
from tests.deploy.server import OPTIONS, PATIENCE, PORT, options_of, paths

FOLDER = DEPLOY / "kubernetes"
Document = dict[str, Any]
ALL: list[Document] = [it for path in sorted(FOLDER.glob("*.yaml")) for it in documents(path)]


def of(kind: str, name: str = "metasearch") -> Document:
    """The only document of that kind and name."""
    (found,) = [it for it in ALL if it["kind"] == kind and it["metadata"]["name"] == name]
    return found


(KUSTOMIZATION,) = [it for it in ALL if it["kind"] == "Kustomization"]
DEPLOYMENTS = {name: of("Deployment", name) for name in ("metasearch", "valkey")}
PODS = {name: it["spec"]["template"]["spec"] for name, it in DEPLOYMENTS.items()}
CONTAINERS = {name: pod["containers"][0] for name, pod in PODS.items()}
OURS = CONTAINERS["metasearch"]
_CONTAINER = ("spec", "template", "spec", "containers", 0)


@each("document", ALL, ids=lambda it: it["kind"])
def test_every_document_fits_the_schema_of_its_kind(document: Document) -> None:
    """Keys are spelt right, pods cannot be root, write to their root, or gain privileges."""
    jsonschema.validate(document, KUBERNETES[document["kind"]])


def test_the_schema_refuses_what_it_should() -> None:
    """A misspelt key, a writable root, a root user."""
    for path, value in (
        (("spec", "template", "spec", "hostNetwork"), True),
        (("spec", "template", "spec", "securityContext", "runAsUser"), 0),
        (
            (*_CONTAINER, "securityContext", "readOnlyRootFilesystem"),
            False,
        ),
    ):
        (document,) = documents(FOLDER / "deployment.yaml")
        place: Any = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document, KUBERNETES["Deployment"])


def test_all_files_are_applied_but_the_example_of_an_ingress() -> None:
    """A new file is not forgotten."""
    files = {path.name for path in FOLDER.glob("*.yaml")}

    assert set(KUSTOMIZATION["resources"]) == files - {"kustomization.yaml", "ingress.yaml"}
    (generated,) = KUSTOMIZATION["configMapGenerator"]
    assert [(FOLDER / name).is_file() for name in generated["files"]] == [True]


def test_secrets_and_maps_are_named_and_not_written_down() -> None:
    """No Secret is among the documents; the comment says how those that pods name are made."""
    volumes = [volume for pod in PODS.values() for volume in pod["volumes"]]
    secrets = {volume["secret"]["secretName"] for volume in volumes if "secret" in volume}
    secrets |= {it["secretRef"]["name"] for it in OURS["envFrom"]}
    comment = (FOLDER / "kustomization.yaml").read_text(encoding="utf-8")

    assert not [it for it in ALL if it["kind"] == "Secret"]
    assert secrets == set(re.findall(r"create secret generic (\S+)", comment))
    assert {volume["configMap"]["name"] for volume in volumes if "configMap" in volume} == {
        it["name"] for it in KUSTOMIZATION["configMapGenerator"]
    }


def test_the_user_is_that_of_the_image() -> None:
    """Files of volumes belong to the group that the server has."""
    context = PODS["metasearch"]["securityContext"]
    (user,) = final("USER")

    assert user.text == f"{context['runAsUser']}:{context['runAsGroup']}"
    assert {context["runAsUser"], context["fsGroup"]} == {METASEARCH}
    assert PODS["valkey"]["securityContext"]["runAsUser"] == VALKEY


def test_the_arguments_are_ours() -> None:
    """The port is the one that probes and the service ask."""
    options = options_of(OURS["args"])

    assert (options["host"], options["port"]) == ("0.0.0.0", PORT)
    assert [it["containerPort"] for it in OURS["ports"]] == [PORT]


@each("name", CONTAINERS)
def test_probes_ask_what_is_there(name: str) -> None:
    """Named ports exist; paths are addresses of the server."""
    container = CONTAINERS[name]
    ports = {it["name"] for it in container["ports"]}
    for probe in (it for key, it in container.items() if key.endswith("Probe")):
        asked = probe.get("httpGet") or probe.get("tcpSocket") or {}
        assert asked.get("port", *ports) in ports
        assert asked.get("path", "/healthz") in paths()


def test_probes_of_the_server() -> None:
    """Ready is who can search; alive is whose process answers. A worker that hangs is replaced
    before the pod is."""
    asked = {name: OURS[f"{name}Probe"]["httpGet"]["path"] for name in ("readiness", "liveness")}
    alive, start = OURS["livenessProbe"], OURS["startupProbe"]
    silence = loaded("kubernetes", KUBERNETES_ENV).server.silence

    assert asked == {"readiness": "/readyz", "liveness": "/healthz"}
    assert alive["periodSeconds"] * alive["failureThreshold"] > 2 * silence
    assert start["periodSeconds"] * start["failureThreshold"] >= 60


def test_a_pod_has_the_time_to_end() -> None:
    """It waits until nobody sends it requests, then its server ends within `PATIENCE`."""
    pod = PODS["metasearch"]
    python, *rest = OURS["lifecycle"]["preStop"]["exec"]["command"]
    (entry,) = final("ENTRYPOINT")
    waits = int(re.fullmatch(r"import time; time\.sleep\((\d+)\)", rest[1])[1])  # type: ignore[index]

    assert entry.words is not None
    assert python.rpartition("/")[0] == entry.words[0].rpartition("/")[0]
    assert waits + PATIENCE + 2 < pod["terminationGracePeriodSeconds"]


@each("name", PODS)
def test_what_is_written_to_has_a_bound(name: str) -> None:
    """Every mount has its volume; those that can be written to are empty folders with a size, which
    together fit the disk that the pod may use."""
    volumes = {volume["name"]: volume for volume in PODS[name]["volumes"]}
    mounts = CONTAINERS[name]["volumeMounts"]
    bounds = [size(it["emptyDir"]["sizeLimit"]) for it in volumes.values() if "emptyDir" in it]

    assert {mount["name"] for mount in mounts} == set(volumes)
    for mount in mounts:
        assert mount.get("readOnly") is not ("emptyDir" in volumes[mount["name"]])
    assert sum(bounds) <= size(CONTAINERS[name]["resources"]["limits"]["ephemeral-storage"])


def test_what_the_server_writes_to_is_mounted() -> None:
    """The folders of the image, and the one for temporary files; the cache keeps within its
    volume."""
    mounts = {it["mountPath"] for it in OURS["volumeMounts"] if not it.get("readOnly")}
    volumes = {volume["name"]: volume for volume in PODS["metasearch"]["volumes"]}
    settings = loaded("kubernetes", KUBERNETES_ENV)

    assert mounts == {"/var/cache/metasearch", "/var/lib/metasearch", "/tmp"}
    assert settings.cache_bytes < size(volumes["cache"]["emptyDir"]["sizeLimit"])


def test_pods_have_one_key_of_cookies(tmp_path: Any) -> None:
    """The mounted file is where the server looks for it, and one that it may only read will do."""
    (mount,) = [it for it in OURS["volumeMounts"] if it["name"] == "cookie-key"]
    file = tmp_path / mount["mountPath"].removeprefix("/var/cache/metasearch/")
    file.write_bytes(bytes(range(32)))
    file.chmod(0o440)

    assert load_key(tmp_path) == bytes(range(32))
    assert mount["subPath"] == file.name


@each("name", CONTAINERS)
def test_requests_are_within_limits(name: str) -> None:
    """Kubernetes refuses a pod that asks for more than it may have."""
    resources = CONTAINERS[name]["resources"]
    for what, amount in resources["requests"].items():
        measure = cpu if what == "cpu" else size
        assert measure(amount) <= measure(resources["limits"][what])


def test_valkey_is_that_of_compose() -> None:
    """The same program and bounds; memory suffices for what it may hold."""
    (compose,) = documents(DEPLOY / "compose.yaml")
    service, container = compose["services"]["valkey"], CONTAINERS["valkey"]
    arguments = container["args"]

    assert container["image"] == service["image"]
    assert arguments[:-1] == service["command"][:-1]
    mount = next(it for it in container["volumeMounts"] if it["name"] == "acl")
    assert arguments[-1] == f"{mount['mountPath']}/valkey.acl"
    held = size(arguments[arguments.index("--maxmemory") + 1])
    assert held < size(container["resources"]["requests"]["memory"])


@each("name", DEPLOYMENTS)
def test_selectors_find_the_pods(name: str) -> None:
    """Deployment, service, budget and policy mean the same pods; ports have their names."""
    deployment, service = DEPLOYMENTS[name], of("Service", name)
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    selectors = [deployment["spec"]["selector"]["matchLabels"], service["spec"]["selector"]]
    selectors.append(of("NetworkPolicy", name)["spec"]["podSelector"]["matchLabels"])

    assert selectors == [labels] * 3
    named = {it["name"] for it in CONTAINERS[name]["ports"]}
    assert {it["targetPort"] for it in service["spec"]["ports"]} <= named


def test_the_replicas_share_the_service_valkey() -> None:
    """The address in the example of the variables is that of the service."""
    url = urlsplit(loaded("kubernetes", KUBERNETES_ENV).shared.url)
    (port,) = of("Service", "valkey")["spec"]["ports"]

    assert (url.hostname, url.port) == ("valkey", port["port"])


def test_the_autoscaler_alone_says_how_many_replicas_there_are() -> None:
    """Applying the files again does not undo it; the configuration knows the most."""
    autoscaler = of("HorizontalPodAutoscaler")["spec"]
    target = autoscaler["scaleTargetRef"]

    assert (target["kind"], target["name"]) == ("Deployment", "metasearch")
    assert target["apiVersion"] == DEPLOYMENTS["metasearch"]["apiVersion"]
    assert "replicas" not in DEPLOYMENTS["metasearch"]["spec"]
    assert 2 <= autoscaler["minReplicas"] < autoscaler["maxReplicas"]
    assert loaded("kubernetes", KUBERNETES_ENV).shared.replicas == autoscaler["maxReplicas"]


def test_one_replica_is_left_when_nodes_are_emptied() -> None:
    """The budget allows one to be away, and there are at least two."""
    budget = of("PodDisruptionBudget")["spec"]

    assert budget["maxUnavailable"] < of("HorizontalPodAutoscaler")["spec"]["minReplicas"]
    assert budget["selector"] == DEPLOYMENTS["metasearch"]["spec"]["selector"]


def test_default_sources_can_be_reached_and_the_own_network_cannot() -> None:
    """Egress has the ports of every default source, of names and of Valkey; of the addresses only
    public ones."""
    policy = of("NetworkPolicy")["spec"]
    registry = Registry(loaded("kubernetes", KUBERNETES_ENV))
    urls = [urlsplit(registry.spec(name).request.url) for name in registry.default()]
    needed = {url.port or {"https": 443, "http": 80}[url.scheme] for url in urls}
    blocks = [to["ipBlock"] for rule in policy["egress"] for to in rule["to"] if "ipBlock" in to]
    allowed = {
        port["port"]
        for rule in policy["egress"]
        if any("ipBlock" in to for to in rule["to"])
        for port in rule["ports"]
    }

    assert needed <= allowed
    for address in ("10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "127.0.0.1"):
        assert not reached(blocks, address)
    assert reached(blocks, "93.184.216.34")
    assert reached(blocks, "2606:2800:220:1::1")
    assert not reached(blocks, "fd00::1")
    assert not reached(blocks, "fe80::1")


def reached(blocks: list[Document], text: str) -> bool:
    """Whether a rule lets requests to this address pass."""
    address = ipaddress.ip_address(text)
    return any(
        address in ipaddress.ip_network(block["cidr"])
        and not any(address in ipaddress.ip_network(it) for it in block.get("except", ()))
        for block in blocks
    )


def test_only_replicas_reach_valkey_and_it_reaches_nobody() -> None:
    """Its policy has no way out."""
    policy = of("NetworkPolicy", "valkey")["spec"]
    (rule,) = policy["ingress"]

    assert policy["egress"] == []
    assert rule["from"] == [{"podSelector": of("NetworkPolicy")["spec"]["podSelector"]}]


def test_the_ingress_leads_to_the_service_without_buffering() -> None:
    """Its name is that of the configuration; answers have as long as a search may take."""
    ingress = of("Ingress")
    (rule,) = ingress["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    notes = {key.rpartition("/")[2]: it for key, it in ingress["metadata"]["annotations"].items()}
    public = urlsplit(loaded("kubernetes", KUBERNETES_ENV).public_url or "")

    assert rule["host"] == public.hostname
    assert ingress["spec"]["tls"][0]["hosts"] == [rule["host"]]
    assert path["backend"]["service"]["name"] == of("Service")["metadata"]["name"]
    assert notes["proxy-buffering"] == "off"
    assert int(notes["proxy-read-timeout"]) > OPTIONS.max_timeout
    assert notes["upstream-hash-by"] == "$remote_addr"


@pytest.mark.slow
def test_kustomize_builds_it() -> None:
    """All documents come out, with the configuration under a name of its own content."""
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("kubectl is not installed")
    built = subprocess.run(
        [kubectl, "kustomize", str(FOLDER)], capture_output=True, text=True, timeout=60
    )

    assert built.returncode == 0, built.stderr
    kinds = re.findall(r"(?m)^kind: (\w+)", built.stdout)
    applied = [it["kind"] for it in ALL if it["kind"] not in ("Kustomization", "Ingress")]
    assert sorted(kinds) == sorted([*applied, "ConfigMap"])
    (name,) = set(re.findall(r"name: (metasearch-[a-z0-9]{10})\n", built.stdout))
    assert built.stdout.count(name) == 2
    assert "namespace: metasearch" in built.stdout
