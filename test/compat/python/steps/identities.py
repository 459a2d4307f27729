"""Tenants, principals, groups, access to Temporal, workers and robots."""

import hashlib

from kuflow_rest import models as rest

from steps import step
from steps.demo import ALICE, BOB, REVIEWERS, ROBOT, TENANT, WORKER, read, same


@step("tenant.find_tenants", "tenant.retrieve_tenant")
def tenants(client):
    page = client.tenant.find_tenants(sort="name", tenant_id=TENANT)
    same([(t.id, t.name) for t in page.content], [(TENANT, "Demo")])
    same(
        (page.metadata.size, page.metadata.page, page.metadata.total_elements, page.metadata.total_pages), (25, 0, 1, 1)
    )
    tenant = client.tenant.retrieve_tenant(TENANT)
    same((tenant.name, tenant.plan), ("Demo", rest.TenantPricingPlan.FREE))


@step("principal.find_principals", "principal.retrieve_principal")
def principals(client):
    page = client.principal.find_principals(sort="name,desc", type=rest.PrincipalType.USER)
    same([p.name for p in page.content], ["Carol", "Bob", "Alice"])
    same([p.id for p in client.principal.find_principals(group_code="REVIEWERS").content], [BOB])
    alice = client.principal.retrieve_principal(ALICE)
    same((alice.type, alice.user.email, alice.application), (rest.PrincipalType.USER, "alice@demo.example", None))
    same(client.principal.retrieve_principal(WORKER).application.id, WORKER)


@step("tenant_user.find_tenant_users", "tenant_user.retrieve_tenant_user")
def tenant_users(client):
    page = client.tenant_user.find_tenant_users(email=["BOB@demo.example"], group_id=REVIEWERS)
    same([u.principal_id for u in page.content], [BOB])
    user = client.tenant_user.retrieve_tenant_user(page.content[0].id)
    same((user.principal.name, user.tenant_id), ("Bob", TENANT))


@step("group.find_groups")
def group(client):
    page = client.group.find_groups(principal_id=BOB, group_code="REVIEWERS")
    same([(g.id, g.code, g.tenant_id) for g in page.content], [(REVIEWERS, "REVIEWERS", TENANT)])


@step("authentication.create_authentication")
def authentications(client):
    create = client.authentication.create_authentication
    token = create(rest.AuthenticationCreateParams(type=rest.AuthenticationType.ENGINE_TOKEN))
    same(len(token.engine_token.token.split(".")), 3)
    assert token.engine_token.expired_at > token.created_at
    issued = create(rest.AuthenticationCreateParams(type=rest.AuthenticationType.ENGINE_CERTIFICATE, tenant_id=TENANT))
    same(issued.engine_certificate.namespace, "demo")
    tls = issued.engine_certificate.tls
    for text in (tls.server_root_ca_certificate, tls.client_certificate, tls.client_private_key):
        assert text.startswith("-----BEGIN "), text[:20]


@step("worker.create_worker")
def workers(client):
    params = rest.WorkerCreateParams(
        identity="compat",
        task_queue="QUEUE_SAMPLE_LOAN",
        workflow_types=["W"],
        activity_types=["A"],
        hostname="host",
        ip="127.0.0.1",
        robot_ids=[ROBOT],
    )
    worker = client.worker.create_worker(params)
    same(
        (worker.identity, worker.workflow_types, worker.robot_ids, worker.created_by),
        ("compat", ["W"], [ROBOT], WORKER),
    )
    same(client.worker.create_worker(params).id, worker.id)


@step("kms.retrieve_kms_key")
def keys(client):
    key = client.kms.retrieve_kms_key("demo-key")
    same((key.id, len(key.value)), ("demo-key", 32))


@step("robot.find_robots", "robot.retrieve_robot", "robot.download_robot_source_code", "robot.download_robot_asset")
def robots(client):
    page = client.robot.find_robots(sort="createdAt,desc", filter_context=rest.RobotFilterContext.READY)
    same([(r.id, r.code, r.source_type) for r in page.content], [(ROBOT, "KYC_BOT", rest.RobotSourceType.PACKAGE)])
    robot = client.robot.retrieve_robot(ROBOT)
    source = read(client.robot.download_robot_source_code(ROBOT))
    same(
        (robot.source_file.content_length, robot.source_file.content_hash),
        (len(source), hashlib.sha256(source).hexdigest()),
    )
    asset = client.robot.download_robot_asset(
        ROBOT,
        type=rest.RobotAssetType.NODEJS,
        version="20.0.0",
        platform=rest.RobotAssetPlatform.LINUX,
        architecture=rest.RobotAssetArchitecture.X86_64,
    )
    same(read(asset)[:2], b"PK")
