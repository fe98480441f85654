import { useTeams } from "./use-teams.ts";

interface Props {
  readonly label: string;
  /** What no team means. */
  readonly none: string;
  /** The id of a team; empty: none. */
  readonly value: string;
  readonly onChange: (teamId: string) => void;
}

/** Chooses one of one's teams, or none. */
export function TeamSelect({ label, none, value, onChange }: Props) {
  const { teams } = useTeams();
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{none}</option>
        {teams.map(({ team_id, name }) => (
          <option key={team_id} value={team_id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
