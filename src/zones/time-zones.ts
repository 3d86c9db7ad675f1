/**
 * Countries with several time zones, from the IANA time zone database (zone.tab of 2025b, in the public domain). Each line has the
 * country, then its zones from west to east, each with the longitude of its city in degrees. A zone between two others of the same time is
 * left out, and so is China's second one, because Beijing time is official in all of it.
 */
const ZONES = `
AU 116:Australia/Perth 129:Australia/Eucla 131:Australia/Darwin 139:Australia/Adelaide 141:Australia/Broken_Hill 145:Australia/Melbourne 147:Australia/Hobart 149:Australia/Lindeman 151:Australia/Sydney 153:Australia/Brisbane 159:Antarctica/Macquarie 159:Australia/Lord_Howe
BR -70:America/Eirunepe -68:America/Rio_Branco -64:America/Porto_Velho -56:America/Cuiaba -55:America/Santarem -55:America/Campo_Grande -48:America/Belem -35:America/Recife -32:America/Noronha
CA -139:America/Dawson -135:America/Whitehorse -134:America/Inuvik -123:America/Vancouver -123:America/Fort_Nelson -117:America/Creston -113:America/Edmonton -108:America/Swift_Current -105:America/Cambridge_Bay -105:America/Regina -97:America/Winnipeg -92:America/Rankin_Inlet -92:America/Atikokan -79:America/Toronto -68:America/Iqaluit -65:America/Moncton -60:America/Glace_Bay -57:America/Blanc-Sablon -53:America/St_Johns
CD 15:Africa/Kinshasa 27:Africa/Lubumbashi
CL -109:Pacific/Easter -72:America/Coyhaique -71:America/Punta_Arenas -71:America/Santiago
EC -90:Pacific/Galapagos -80:America/Guayaquil
ES -15:Atlantic/Canary -5:Africa/Ceuta -4:Europe/Madrid
FM 152:Pacific/Chuuk 158:Pacific/Pohnpei 163:Pacific/Kosrae
GL -69:America/Thule -52:America/Nuuk -22:America/Scoresbysund -19:America/Danmarkshavn
ID 107:Asia/Jakarta 109:Asia/Pontianak 119:Asia/Makassar 141:Asia/Jayapura
KI -172:Pacific/Kanton -157:Pacific/Kiritimati 173:Pacific/Tarawa
MN 92:Asia/Hovd 107:Asia/Ulaanbaatar
MX -117:America/Tijuana -111:America/Hermosillo -106:America/Ciudad_Juarez -106:America/Mazatlan -106:America/Chihuahua -105:America/Bahia_Banderas -104:America/Ojinaga -100:America/Monterrey -99:America/Mexico_City -98:America/Matamoros -90:America/Merida -87:America/Cancun
NZ -177:Pacific/Chatham 175:Pacific/Auckland
PF -150:Pacific/Tahiti -140:Pacific/Marquesas -135:Pacific/Gambier
PG 147:Pacific/Port_Moresby 156:Pacific/Bougainville
PT -26:Atlantic/Azores -17:Atlantic/Madeira -9:Europe/Lisbon
RU 20:Europe/Kaliningrad 38:Europe/Moscow 44:Europe/Volgograd 46:Europe/Saratov 48:Europe/Ulyanovsk 50:Europe/Kirov 50:Europe/Samara 61:Asia/Yekaterinburg 73:Asia/Omsk 83:Asia/Novosibirsk 93:Asia/Krasnoyarsk 104:Asia/Irkutsk 113:Asia/Chita 130:Asia/Yakutsk 132:Asia/Vladivostok 136:Asia/Khandyga 143:Asia/Sakhalin 143:Asia/Ust-Nera 151:Asia/Magadan 154:Asia/Srednekolymsk 159:Asia/Kamchatka 177:Asia/Anadyr
UA 31:Europe/Kyiv 34:Europe/Simferopol
UM -177:Pacific/Midway 167:Pacific/Wake
US -177:America/Adak -165:America/Nome -158:Pacific/Honolulu -150:America/Anchorage -132:America/Metlakatla -118:America/Los_Angeles -116:America/Boise -112:America/Phoenix -105:America/Denver -102:America/North_Dakota/Beulah -88:America/Menominee -88:America/Indiana/Vincennes -87:America/Indiana/Petersburg -87:America/Indiana/Tell_City -87:America/Indiana/Knox -87:America/Indiana/Winamac -74:America/New_York
`;

const known = new Map<string, string>();

/** The zone that a runtime names for a country; UTC where it names none. */
function onlyZone(country: string): string {
	try {
		const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & { getTimeZones?(): string[] };
		return (country === "CN" ? "Asia/Shanghai" : locale.getTimeZones?.()[0]) ?? "UTC";
	} catch {
		return "UTC";
	}
}

/**
 * The time zone of a place, such as `Africa/Lagos`. In a country with several, it is that of the city nearest by longitude.
 * @param country ISO 3166-1 alpha-2.
 * @param lng Degrees; if undefined, the country's first zone is returned.
 */
export function timeZoneOf(country: string, lng?: number): string {
	const line = ZONES.indexOf(`\n${country} `);
	if (line < 0) {
		const zone = known.get(country) ?? onlyZone(country);
		known.set(country, zone);
		return zone;
	}
	const cities = ZONES.slice(line + 4, ZONES.indexOf("\n", line + 1))
		.split(" ")
		.map((city) => city.split(":") as [longitude: string, zone: string]);
	const away = ([longitude]: [string, string]) => Math.abs(Number(longitude) - (lng ?? Number(longitude)));
	return cities.reduce((nearest, city) => (away(city) < away(nearest) ? city : nearest))[1];
}
