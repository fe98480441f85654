import type {
  DeliveryStatus,
  EventName,
  ProjectStatus,
  ReleaseKind,
  Role,
  Scope,
  WebhookEventName,
  WebhookOrdering,
  WebhookStatus,
} from "@slipway/contract";
import type { ColumnType, Generated, JSONColumnType, Kysely, Transaction as KyselyTransaction } from "kysely";

/** The tables as `migrations/` creates them, in its order. */
export interface Schema {
  users: {
    id: string;
    name: string;
    role: Role;
    created_at: CreatedAt;
    removed_at: Date | null;
    access_until: Date | null;
    kind: Generated<"person" | "service">;
    team_id: string | null;
  };
  tokens: {
    id: string;
    user_id: string;
    kind: "access" | "refresh" | "code" | "session";
    family_id: string;
    hash: Buffer;
    key_version: number;
    created_at: CreatedAt;
    expires_at: Date | null;
    revoked_at: Date | null;
    last_used_at: Date | null;
    device: string | null;
    address: string | null;
  };
  api_keys: {
    id: string;
    user_id: string;
    name: string;
    scopes: Scope[];
    hash: Buffer;
    key_version: number;
    created_at: CreatedAt;
    expires_at: Date;
    revoked_at: Date | null;
    last_used_at: Date | null;
    team_id: string | null;
  };
  master_keys: {
    version: number;
    fingerprint: Buffer;
  };
  applications: {
    id: string;
    owner_id: string;
    document_id: string;
    projects: number;
    latest_project_id: string;
    created_at: CreatedAt;
    updated_at: Date;
    team_id: string | null;
  };
  projects: {
    id: string;
    application_id: string;
    owner_id: string;
    document_id: string;
    name: string;
    outcome_type: string;
    environment: string | null;
    review_plan: Generated<boolean>;
    status: Generated<ProjectStatus>;
    current_phase: Generated<string>;
    progress: Generated<number>;
    agents: Generated<Record<string, string>>;
    waiting_for: "approval" | "agent" | "paused" | "debug" | null;
    error: JSONColumnType<{ code: string; message: string }> | null;
    /** Only engine/lifecycle reads and writes it. */
    state: JSONColumnType<object> | null;
    plan_version: number | null;
    version: Generated<number>;
    last_sequence: Generated<number>;
    created_at: CreatedAt;
    updated_at: CreatedAt;
    team_id: string | null;
  };
  project_names: {
    project_id: string;
    name: string;
    document_id: string;
  };
  specs: {
    project_id: string;
    content: Buffer;
  };
  plans: {
    project_id: string;
    version: number;
    content: JSONColumnType<object>;
    created_at: CreatedAt;
  };
  nodes: {
    name: string;
    host: string | null;
    lease_expires_at: Date;
  };
  jobs: {
    id: Generated<number>;
    queue: string;
    priority: number;
    available_at: Date;
    is_paused: boolean;
    group_id: string;
    number: number;
    kind: string;
    payload: JSONColumnType<object>;
    fence: Generated<number>;
    claimed_by: string | null;
    claimed_at: Date | null;
    losses: Generated<number>;
    created_at: CreatedAt;
  };
  attempts: {
    project_id: string;
    task_id: string;
    number: number;
    agent_id: string;
    queued_at: Date;
    started_at: Date | null;
    ended_at: Date;
    outcome: "completed" | "failed";
    error: JSONColumnType<{ code: string; message: string }> | null;
  };
  checkpoints: {
    id: string;
    project_id: string;
    phase: string;
    plan_version: number;
    state: JSONColumnType<object>;
    created_at: CreatedAt;
  };
  events: {
    project_id: string;
    sequence: number;
    id: string;
    name: EventName;
    data: JSONColumnType<Record<string, unknown>>;
    created_at: CreatedAt;
  };
  event_cursors: {
    reader: string;
    xid: string;
    project_id: string;
    sequence: number;
    claimed_by: string | null;
    lease_expires_at: Date | null;
  };
  agents: {
    id: string;
    kind: string;
    name: string;
    capabilities: string[];
    registered_by: string | null;
    url: string | null;
    slots: number | null;
    is_draining: Generated<boolean>;
    claimed_by: string | null;
    lease_expires_at: Date | null;
    created_at: CreatedAt;
  };
  agent_presence: {
    agent_id: string;
    node: string;
    slots: number;
    version: string | null;
    problem: string | null;
    seen_at: CreatedAt;
  };
  agent_runs: {
    project_id: string;
    task_id: string;
    number: number;
    agent_id: string;
    node: string;
    attempt_id: string;
    base_commit: string;
    prompt: string;
    limits: JSONColumnType<object>;
    handle: string | null;
    last_status: string | null;
    input_tokens: number | null;
    output_tokens: number | null;
    cost_usd: number | null;
    started_at: CreatedAt;
    ended_at: Date | null;
    outcome: string | null;
  };
  worker_leases: {
    id: string;
    agent_id: string;
    project_id: string;
    task_id: string;
    work: JSONColumnType<object>;
    state: Generated<"offered" | "claimed" | "completed" | "ended">;
    fence: Generated<number>;
    claimed_at: Date | null;
    last_heartbeat_at: Date | null;
    followed_by: string | null;
    last_sequence: Generated<number>;
    is_cancelled: Generated<boolean>;
    report: JSONColumnType<object> | null;
    created_at: CreatedAt;
  };
  worker_events: {
    lease_id: string;
    fence: Generated<number>;
    sequence: number;
    event: JSONColumnType<object>;
  };
  approvals: {
    id: string;
    project_id: string;
    gate: "plan" | "deployment" | "promotion" | "permission";
    round: number;
    phase: string;
    environment: string;
    approvers: string[];
    task_id: string | null;
    agent_id: string | null;
    question: string | null;
    deadline: Date;
    decision: "approved" | "denied" | "expired" | "withdrawn" | null;
    decided_at: Date | null;
    decided_by: string | null;
    comment: string | null;
    created_at: CreatedAt;
  };
  artifacts: {
    project_id: string;
    checkpoint_id: string | null;
    type: string;
    path: string;
    digest: string;
    size_bytes: number;
    media_type: string;
    modified: Date;
  };
  blobs: {
    digest: string;
    size_bytes: number;
    put_at: CreatedAt;
    verified_at: Date | null;
    problem: "missing" | "changed" | null;
  };
  uploads: {
    id: string;
    project_id: string;
    user_id: string;
    type: string;
    path: string;
    media_type: string;
    size_bytes: number;
    digest: string | null;
    received: Generated<number>;
    is_complete: Generated<boolean>;
    created_at: CreatedAt;
    expires_at: Date;
  };
  upload_pieces: {
    upload_id: string;
    start: number;
    digest: string;
    size_bytes: number;
  };
  logs: {
    id: Generated<number>;
    project_id: string;
    source: string;
    task_id: string;
    attempt: number;
    agent_id: string;
    lines: number;
    text: string;
    at: CreatedAt;
  };
  generations: {
    project_id: string;
    plan_version: number;
    generated: JSONColumnType<object>;
    merged: JSONColumnType<object> | null;
    report: JSONColumnType<object> | null;
    source_version: number;
  };
  application_sources: {
    application_id: string;
    version: number;
    source: JSONColumnType<object>;
    base: JSONColumnType<object> | null;
    base_project_id: string | null;
    files: number;
    size_bytes: number;
    put_by: string;
    put_at: CreatedAt;
  };
  source_trees: {
    project_id: string;
    commit: string;
    tree: string;
    files: number;
    size_bytes: number;
    modified: Date;
  };
  webhooks: {
    id: string;
    owner_id: string;
    url: string;
    events: string[];
    project_id: string | null;
    ordering: WebhookOrdering;
    description: Generated<string>;
    secret: Buffer;
    old_secret: Buffer | null;
    old_secret_until: Date | null;
    status: Generated<WebhookStatus>;
    parked_until: Date | null;
    parks: Generated<number>;
    disabled_reason: string | null;
    failing_since: Date | null;
    creation_snapshot: Generated<string>;
    cursor_xid: string | null;
    cursor_project_id: string | null;
    cursor_sequence: number | null;
    version: Generated<number>;
    created_at: CreatedAt;
    updated_at: ColumnType<Date, Date | undefined, Date>;
    team_id: string | null;
  };
  webhook_sequences: {
    webhook_id: string;
    project_id: string;
    last: number;
  };
  deliveries: {
    id: Generated<number>;
    webhook_id: string;
    event_id: string;
    event: WebhookEventName;
    project_id: string;
    event_sequence: number | null;
    sequence: number | null;
    data: JSONColumnType<Record<string, unknown>> | null;
    status: Generated<DeliveryStatus>;
    reason: string | null;
    due_at: Date | null;
    claimed_by: string | null;
    fence: Generated<number>;
    attempt_count: Generated<number>;
    failures: Generated<number>;
    attempts: Generated<unknown[]>;
    created_at: CreatedAt;
    delivered_at: Date | null;
  };
  delivered_runs: {
    id: Generated<number>;
    webhook_id: string;
    count: number;
    event_ids: string[];
    events: WebhookEventName[];
    project_ids: string[];
    event_sequences: number[];
    sequences: number[];
    attempts: unknown[];
    created_at: CreatedAt;
  };
  notices: {
    id: Generated<number>;
    project_id: string;
    target: "slack" | "jira";
    action: JSONColumnType<object>;
    status: Generated<"pending" | "sent" | "skipped" | "failed">;
    due_at: Date | null;
    fence: Generated<number>;
    attempt_count: Generated<number>;
    reason: string | null;
    created_at: CreatedAt;
    ended_at: Date | null;
  };
  jira_tickets: {
    project_id: string;
    subject: string;
    issue_key: string;
  };
  secrets: {
    id: string;
    owner_id: string | null;
    name: string;
    value: Buffer;
    updated_by: string | null;
    created_at: CreatedAt;
    updated_at: CreatedAt;
  };
  audit: {
    id: string;
    at: CreatedAt;
    actor: string;
    actor_name: string;
    action: string;
    target: string;
    address: string;
    request_id: string;
    detail: JSONColumnType<Record<string, unknown>>;
    position: number | null;
    hash: Buffer | null;
  };
  idempotency: {
    principal: string;
    method: string;
    path: string;
    key: string;
    request_hash: Buffer;
    status: number | null;
    headers: JSONColumnType<Record<string, string>> | null;
    body: Buffer | null;
    is_encrypted: Generated<boolean>;
    created_at: CreatedAt;
    expires_at: Date;
  };
  rate_counts: {
    key: string;
    window_start: Date;
    count: number;
  };
  deployments: {
    id: string;
    application_id: string;
    environment: string;
    host: string;
    target: Generated<string>;
    port: number | null;
    url: string | null;
    release_id: string | null;
    replicas: Generated<number>;
    wanted: Generated<"running" | "stopped">;
    restart_asked_at: Date | null;
    health: Generated<"starting" | "healthy" | "unhealthy" | "stopped">;
    reason: string | null;
    rolled_back_from: string | null;
    version: Generated<number>;
    created_at: CreatedAt;
    updated_at: Date;
  };
  removed_deployments: {
    id: string;
    host: string;
    target: Generated<string>;
  };
  hook_secrets: {
    application_id: string;
    secret: Buffer;
    created_at: CreatedAt;
  };
  hook_deliveries: {
    application_id: string;
    delivery_id: string;
    received_at: CreatedAt;
  };
  releases: {
    id: string;
    deployment_id: string;
    project_id: string;
    attempt: number;
    number: number;
    version: string;
    kind: ReleaseKind;
    usage: string;
    plan: JSONColumnType<object> | null;
    strategy: string;
    status: Generated<"preparing" | "live" | "retired" | "failed">;
    error: string | null;
    migrated_at: Date | null;
    traffic: JSONColumnType<object> | null;
    artifact: JSONColumnType<object> | null;
    went_live: JSONColumnType<object> | null;
    created_at: CreatedAt;
    live_at: Date | null;
    ended_at: Date | null;
  };
  identities: {
    provider: string;
    subject: string;
    user_id: string;
    roles: string[];
    tokens: Buffer | null;
    checked_at: Date;
    claimed_until: Date | null;
  };
  sign_in_attempts: {
    state: string;
    provider: string;
    browser: Buffer;
    checks: Buffer;
    return_to: string;
    expires_at: Date;
  };
  device_logins: {
    id: string;
    hash: Buffer;
    key_version: number;
    user_code: string;
    device: string;
    address: string;
    created_at: Date;
    expires_at: Date;
    polled_at: Date | null;
    user_id: string | null;
    decision: "approve" | "deny" | null;
  };
  teams: {
    id: string;
    name: string;
    created_at: Date;
  };
  team_members: {
    team_id: string;
    user_id: string;
    provider: string | null;
    added_at: Date;
  };
  used_id_tokens: {
    digest: Buffer;
    expires_at: Date;
  };
}

/** Set when the row is inserted, by us or by default. */
type CreatedAt = ColumnType<Date, Date | undefined, Date>;

/** The database or one of its transactions; most statements accept both. */
export type Database = Kysely<Schema>;
export type Transaction = KyselyTransaction<Schema>;
