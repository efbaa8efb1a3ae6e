"""JSON schemas of the files that we ship: only the keys that we use, so that a misspelt one fails.

They are written by us after the reference of Kubernetes and the Compose specification; they are no
copy of theirs, and say nothing of keys that we do not use.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def _object(required: str = "", **properties: Schema) -> Schema:
    """An object with these keys and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": required.split(),
    }


def _list(items: Schema, least: int = 1) -> Schema:
    return {"type": "array", "items": items, "minItems": least}


TEXT: Schema = {"type": "string", "minLength": 1}
ANY_TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer", "minimum": 0}
ID: Schema = {"type": "integer", "minimum": 10_000}
FLAG: Schema = {"type": "boolean"}
NAME: Schema = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"}
PORT: Schema = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 65535}, NAME]}
PATH: Schema = {"type": "string", "pattern": "^/"}
LABELS: Schema = {"type": "object", "additionalProperties": TEXT, "minProperties": 1}
QUANTITY: Schema = {"type": "string", "pattern": r"^\d+(m|Ki|Mi|Gi)?$"}

_META = _object("name", name=NAME, labels=LABELS, annotations=LABELS)
_SELECTOR = _object("matchLabels", matchLabels=LABELS)


def _kind(version: str, kind: str, **parts: Schema) -> Schema:
    return _object(
        f"apiVersion kind {' '.join(parts)}",
        apiVersion={"const": version},
        kind={"const": kind},
        **parts,
    )


_PROBE = _object(
    "periodSeconds timeoutSeconds",
    httpGet=_object("path port", path=PATH, port=PORT),
    exec=_object("command", command=_list(TEXT)),
    tcpSocket=_object("port", port=PORT),
    periodSeconds=NUMBER,
    timeoutSeconds=NUMBER,
    failureThreshold=NUMBER,
)
_AMOUNTS = _object(
    "cpu memory ephemeral-storage",
    **{"cpu": QUANTITY, "memory": QUANTITY, "ephemeral-storage": QUANTITY},
)
_CONTAINER = _object(
    "name image args ports securityContext readinessProbe livenessProbe resources volumeMounts",
    name=NAME,
    image=TEXT,
    args=_list(ANY_TEXT),
    ports=_list(_object("name containerPort", name=NAME, containerPort=PORT)),
    env=_list(_object("name value", name=TEXT, value=TEXT)),
    envFrom=_list(_object("secretRef", secretRef=_object("name", name=NAME))),
    securityContext=_object(
        "allowPrivilegeEscalation readOnlyRootFilesystem capabilities",
        allowPrivilegeEscalation={"const": False},
        readOnlyRootFilesystem={"const": True},
        capabilities=_object("drop", drop={"const": ["ALL"]}),
    ),
    startupProbe=_PROBE,
    readinessProbe=_PROBE,
    livenessProbe=_PROBE,
    lifecycle=_object(
        "preStop",
        preStop=_object("exec", exec=_object("command", command=_list(TEXT))),
    ),
    resources=_object("requests limits", requests=_AMOUNTS, limits=_AMOUNTS),
    volumeMounts=_list(
        _object("name mountPath", name=NAME, mountPath=PATH, subPath=TEXT, readOnly=FLAG)
    ),
)
_VOLUME = _object(
    "name",
    name=NAME,
    configMap=_object("name", name=NAME),
    secret=_object("secretName defaultMode", secretName=NAME, defaultMode={"const": 0o440}),
    emptyDir=_object("sizeLimit", sizeLimit=QUANTITY),
)
_POD = _object(
    "automountServiceAccountToken enableServiceLinks terminationGracePeriodSeconds securityContext "
    "containers volumes",
    automountServiceAccountToken={"const": False},
    enableServiceLinks={"const": False},
    terminationGracePeriodSeconds=NUMBER,
    securityContext=_object(
        "runAsNonRoot runAsUser runAsGroup fsGroup seccompProfile",
        runAsNonRoot={"const": True},
        runAsUser=ID,
        runAsGroup=ID,
        fsGroup=ID,
        seccompProfile=_object("type", type={"const": "RuntimeDefault"}),
    ),
    topologySpreadConstraints=_list(
        _object(
            "maxSkew topologyKey whenUnsatisfiable labelSelector",
            maxSkew=NUMBER,
            topologyKey=TEXT,
            whenUnsatisfiable={"enum": ["ScheduleAnyway", "DoNotSchedule"]},
            labelSelector=_SELECTOR,
        )
    ),
    containers={**_list(_CONTAINER), "maxItems": 1},
    volumes=_list(_VOLUME),
)
_PEER = _object(
    podSelector=_SELECTOR,
    namespaceSelector=_SELECTOR,
    ipBlock=_object("cidr", cidr=TEXT, **{"except": _list(TEXT)}),
)
_PORTS = _list(_object("protocol port", protocol={"enum": ["TCP", "UDP"]}, port=PORT))

#: By the kind of a document.
KUBERNETES: dict[str, Schema] = {
    "Deployment": _kind(
        "apps/v1",
        "Deployment",
        metadata=_META,
        spec=_object(
            "selector strategy template",
            replicas=NUMBER,
            selector=_SELECTOR,
            strategy=_object(
                type={"const": "Recreate"},
                rollingUpdate=_object("maxSurge", maxSurge=NUMBER, maxUnavailable=NUMBER),
            ),
            template=_object("metadata spec", metadata=_object("labels", labels=LABELS), spec=_POD),
        ),
    ),
    "Service": _kind(
        "v1",
        "Service",
        metadata=_META,
        spec=_object(
            "selector ports",
            selector=LABELS,
            ports=_list(_object("name port targetPort", name=NAME, port=PORT, targetPort=PORT)),
            sessionAffinity={"const": "ClientIP"},
            sessionAffinityConfig=_object(
                "clientIP", clientIP=_object("timeoutSeconds", timeoutSeconds=NUMBER)
            ),
        ),
    ),
    "HorizontalPodAutoscaler": _kind(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        metadata=_META,
        spec=_object(
            "scaleTargetRef minReplicas maxReplicas metrics",
            scaleTargetRef=_object("apiVersion kind name", apiVersion=TEXT, kind=TEXT, name=NAME),
            minReplicas=NUMBER,
            maxReplicas=NUMBER,
            metrics=_list(
                _object(
                    "type resource",
                    type={"const": "Resource"},
                    resource=_object(
                        "name target",
                        name={"enum": ["cpu", "memory"]},
                        target=_object(
                            "type averageUtilization",
                            type={"const": "Utilization"},
                            averageUtilization={"type": "integer", "minimum": 1, "maximum": 100},
                        ),
                    ),
                )
            ),
            behavior=_object(
                "scaleDown",
                scaleDown=_object(
                    "stabilizationWindowSeconds policies",
                    stabilizationWindowSeconds={"type": "integer", "minimum": 0, "maximum": 3600},
                    policies=_list(
                        _object(
                            "type value periodSeconds",
                            type={"enum": ["Pods", "Percent"]},
                            value=NUMBER,
                            periodSeconds={"type": "integer", "minimum": 1, "maximum": 1800},
                        )
                    ),
                ),
            ),
        ),
    ),
    "PodDisruptionBudget": _kind(
        "policy/v1",
        "PodDisruptionBudget",
        metadata=_META,
        spec=_object("maxUnavailable selector", maxUnavailable=NUMBER, selector=_SELECTOR),
    ),
    "NetworkPolicy": _kind(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        metadata=_META,
        spec=_object(
            "podSelector policyTypes ingress egress",
            podSelector=_SELECTOR,
            policyTypes={"const": ["Ingress", "Egress"]},
            ingress=_list(
                _object("from ports", **{"from": _list(_PEER), "ports": _PORTS}), least=0
            ),
            egress=_list(_object("to ports", to=_list(_PEER), ports=_PORTS), least=0),
        ),
    ),
    "Ingress": _kind(
        "networking.k8s.io/v1",
        "Ingress",
        metadata=_META,
        spec=_object(
            "ingressClassName tls rules",
            ingressClassName=NAME,
            tls=_list(_object("hosts secretName", hosts=_list(TEXT), secretName=NAME)),
            rules=_list(
                _object(
                    "host http",
                    host=TEXT,
                    http=_object(
                        "paths",
                        paths=_list(
                            _object(
                                "path pathType backend",
                                path=PATH,
                                pathType={"enum": ["Prefix", "Exact"]},
                                backend=_object(
                                    "service",
                                    service=_object(
                                        "name port",
                                        name=NAME,
                                        port=_object("name", name=NAME),
                                    ),
                                ),
                            )
                        ),
                    ),
                )
            ),
        ),
    ),
    "Kustomization": _kind(
        "kustomize.config.k8s.io/v1beta1",
        "Kustomization",
        namespace=NAME,
        labels=_list(_object("pairs", pairs=LABELS)),
        resources=_list(TEXT),
        configMapGenerator=_list(_object("name files", name=NAME, files=_list(TEXT))),
        images=_list(_object("name newName newTag", name=TEXT, newName=TEXT, newTag=TEXT)),
    ),
}

_SERVICE = _object(
    "image user read_only cap_drop security_opt networks stop_grace_period mem_limit pids_limit "
    "restart logging tmpfs",
    image=TEXT,
    build=_object("context dockerfile", context=TEXT, dockerfile=TEXT),
    user={"type": "string", "pattern": r"^\d{5}:\d{5}$"},
    command=_list(ANY_TEXT),
    environment=LABELS,
    env_file=_list(TEXT),
    volumes=_list(TEXT),
    tmpfs=_list({"type": "string", "pattern": r"^/\w+:size=\d+m,mode=1777,noexec,nosuid,nodev$"}),
    read_only={"const": True},
    cap_drop={"const": ["ALL"]},
    cap_add=_list({"const": "NET_BIND_SERVICE"}),
    security_opt={"const": ["no-new-privileges:true"]},
    sysctls=_list(TEXT),
    networks=_list(NAME),
    secrets=_list(TEXT),
    ports=_list(TEXT),
    depends_on=_list(NAME),
    healthcheck=_object(
        "test interval timeout retries",
        test=_list(TEXT),
        interval=TEXT,
        timeout=TEXT,
        retries=NUMBER,
    ),
    stop_grace_period=TEXT,
    mem_limit=TEXT,
    pids_limit=NUMBER,
    restart={"const": "unless-stopped"},
    logging=_object(
        "driver options",
        driver=TEXT,
        options={**LABELS, "required": ["max-size", "max-file"]},
    ),
)
#: compose.yaml, without the keys that begin with x-.
COMPOSE: Schema = _object(
    "name services networks volumes secrets",
    name=NAME,
    services={"type": "object", "additionalProperties": _SERVICE, "minProperties": 1},
    networks={
        "type": "object",
        "additionalProperties": _object(
            internal=FLAG,
            ipam=_object("config", config=_list(_object("subnet", subnet=TEXT))),
        ),
    },
    volumes={"type": "object", "additionalProperties": {"type": "null"}},
    secrets={"type": "object", "additionalProperties": _object("file", file=TEXT)},
)
