import type { Role } from "@slipway/contract";

/** The roles in words. */
export const roles: Readonly<Record<Role, string>> = {
  "svc:admin": "administrator",
  "svc:user": "user",
  "svc:readonly": "reader",
};

export function RoleSelect({ value, onChange }: { readonly value: Role; readonly onChange: (role: Role) => void }) {
  return (
    <label>
      Role
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as Role)}>
        {Object.entries(roles).map(([role, words]) => (
          <option key={role} value={role}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
