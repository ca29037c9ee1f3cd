"""The tabular documents of the example corpus: governance register, inventory, control register, change log."""

from __future__ import annotations

from datetime import date

from office import Sheet

SYSTEM_REGISTER = [
    Sheet(
        "Systems",
        [
            ["System", "Short name", "Owner", "Criticality", "Availability target", "Annual cost", "Last review"],
            ["Telemetry Gateway", "TGW", "Margit Osei", "high", 0.995, 186400, date(2025, 6, 16)],
            ["Plant Data Archive", "PDA", "Margit Osei", "high", 0.99, 74250, date(2025, 6, 16)],
            ["Supervisory Control Platform", "SCP", "Margit Osei", "very high", 0.998, 412800, date(2025, 6, 17)],
            ["Customer Billing System", "CBS", "Joachim Brandt", "medium", 0.98, 268000, date(2025, 5, 12)],
            ["Work Order Hub", "WOH", "Daniel Ferreira", "medium", 0.985, 51900, date(2025, 5, 12)],
            ["Identity Service", "IDS", "Daniel Ferreira", "very high", 0.999, 97300, date(2025, 6, 2)],
        ],
        {"E": "0.0%", "F": '"£"#,##0', "G": "yyyy-mm-dd"},
    ),
    Sheet(
        "Dependencies",
        [
            ["System", "Depends on", "Purpose"],
            ["Telemetry Gateway", "Identity Service", "authentication of operators"],
            ["Plant Data Archive", "Telemetry Gateway", "live readings"],
            ["Supervisory Control Platform", "Telemetry Gateway", "alarms"],
            ["Work Order Hub", "Supervisory Control Platform", "fault reports"],
            ["Customer Billing System", "Plant Data Archive", "district meter totals"],
        ],
    ),
    Sheet(
        "Former owners",
        [
            ["System", "Owner until 2023"],
            ["Telemetry Gateway", "Samir Wadi"],
            ["Plant Data Archive", "Rosalind Pell"],
        ],
        hidden=True,
    ),
]

OUTSTATIONS = [
    Sheet(
        "Outstations",
        [
            [
                "Number",
                "Site",
                "District",
                "Lowest (°C)",
                "Change of flow",
                "Pump power (kW)",
                "Buffer (h)",
            ],
            ["OS-001", "Harnley Intake", "Harnley", -6.5, 0.012, 220.0, 72],
            ["OS-014", "Marrow Hill Booster", "Marrow Hill", -4.1, -0.118, 55.5, 24],
            ["OS-027", "Elder Sands Wells", "Elder Sands", -1.0, 0.0, 132.0, 72],
            ["OS-058", "North Fen Lift", "North Fen", -3.7, -0.075, 18.5, 6],
            ["OS-112", "Stonebeck Works", "Stonebeck", -5.2, 0.034, 315.0, 72],
            ["OS-203", "Castleford Park Tower", "Castleford Park", -2.8, -0.041, 7.5, 6],
        ],
        {"D": "0.0", "E": "0.0%;-0.0%", "F": "#,##0.0"},
    ),
]

CONTROLS = [
    ["Control", "Name", "Owner", "Applies to", "Frequency", "Last result"],
    ["AC-04", "Remote Access Control", "Priya Raman", "Identity Service", "monthly", "passed"],
    ["BK-01", "Backup Control", "Margit Osei", "Plant Data Archive", "quarterly", "failed"],
    ["CH-03", "Change Approval Control", "Daniel Ferreira", "all systems", "each change", "passed"],
    ["LG-02", "Log Retention Control", "Priya Raman", "all systems", "half-yearly", "passed"],
    ["NS-05", "Network Segmentation Control", "Tomas Lindqvist", "Telemetry Gateway", "half-yearly", "passed"],
]

CHANGES = [
    ["Change", "System", "Requested by", "Approved by", "Date", "Status", "Summary"],
    ["CHG-1042", "Telemetry Gateway", "Tomas Lindqvist", "Margit Osei", "2025-05-09", "closed",
     "Replacement of the field server at Stonebeck"],
    ["CHG-1077", "Telemetry Gateway", "Priya Raman", "Daniel Ferreira", "2025-06-24", "closed",
     "Longer retention of access logs, from 30 to 90 days"],
    ["CHG-1091", "Identity Service", "Margit Osei", "Daniel Ferreira", "2025-08-29", "closed",
     "Monitoring of the certificates of the Gateway"],
    ["CHG-1096", "Customer Billing System", "Priya Raman", "Joachim Brandt", "2025-12-08", "planned",
     "Longer retention of access logs, from 45 to 90 days"],
]  # fmt: skip

LOST_READINGS = [
    ["Outstation", "First lost reading", "Last lost reading", "Lost readings"],
    ["OS-058", "2025-08-17T03:12Z", "2025-08-17T05:21Z", "129"],
    ["OS-203", "2025-08-17T03:12Z", "2025-08-17T05:21Z", "129"],
]
